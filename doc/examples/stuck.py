# SPDX-License-Identifier: ISC
"""A program that hangs: two threads take two locks in different orders."""
import threading
import time

accounts = threading.Lock()
journal = threading.Lock()


def transfer():
    with accounts:
        time.sleep(0.1)
        with journal:
            pass


def report():
    with journal:
        time.sleep(0.1)
        with accounts:
            pass


def main():
    threads = [threading.Thread(target=transfer, name='transfer'),
               threading.Thread(target=report, name='report')]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
