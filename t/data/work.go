// SPDX-License-Identifier: ISC
// work.go: works for a moment in two functions, one of them inlined, and writes
// Go's own CPU profile of that to the file of its argument.
package main

import (
	"os"
	"runtime/pprof"
	"time"
)

var sum uint64

func mix(n uint64) uint64 {
	return n*2654435761 ^ n>>7
}

//go:noinline
func leaf(n uint64) {
	for i := uint64(0); i < n; i++ {
		sum += mix(i)
	}
}

//go:noinline
func middle(n uint64) {
	leaf(n)
	leaf(n / 2)
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	pprof.StartCPUProfile(f)
	for end := time.Now().Add(600 * time.Millisecond); time.Now().Before(end); {
		middle(1000000)
	}
	pprof.StopCPUProfile()
	f.Close()
}
