# SPDX-License-Identifier: ISC
"""A module that takes its time while it is imported."""
from spot import spot

spot('import')
