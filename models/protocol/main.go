package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	only := flag.String("scenario", "", "run one scenario")
	rule := flag.String("off", "", "switch one rule off (several: a+b)")
	mutate := flag.Bool("mutations", false, "switch the rules off one by one: each must cause a violation")
	limit := flag.Int("limit", 60_000_000, "stop after this many states")
	faults := flag.Int("faults", 0, "adverse events in total (0: as the scenario says); 1 is a quick run")
	steps := flag.Bool("steps", false, "list every kind of step that was taken")
	flag.Parse()
	if *mutate {
		runMutations(*limit)
		return
	}
	bad, ran := 0, 0
	for _, m := range scenarios() {
		if *only != "" && m.Name != *only {
			continue
		}
		ran++
		if *rule != "" {
			m.Off = off(*rule)
		}
		if *faults > 0 {
			m.Faults = uint8(*faults)
		}
		r := explore(m, *limit)
		fmt.Printf("%-16s states %9d  edges %10d  ends %6d  %6.1fs  full=%v  %s\n", m.Name, r.States, r.Edges, r.Finals, r.Seconds, r.Full, violationName[r.Violation])
		for n, l := range r.Path {
			fmt.Printf("   %2d %s\n", n+1, l)
		}
		fmt.Printf("   results at the ends: %v\n", slices.Sorted(maps.Keys(r.Seen)))
		if *steps {
			for _, l := range r.Labels {
				fmt.Println("      ", l)
			}
		}
		if r.Violation != 0 || !r.Full {
			bad++
		}
	}
	if ran == 0 {
		fmt.Println("no scenario is named", *only)
		os.Exit(1)
	}
	if bad > 0 && *rule == "" {
		os.Exit(1)
	}
}

// off: one rule, or several joined by +.
func off(rules string) map[string]bool {
	o := map[string]bool{}
	for _, r := range strings.Split(rules, "+") {
		o[r] = true
	}
	return o
}

func runMutations(limit int) {
	silent := 0
	for _, mu := range mutations {
		for _, m := range scenarios() {
			if m.Name != mu.Scenario {
				continue
			}
			used := uint8(0)
			m.Off = off(mu.Rule)
			var r Result
			for most := m.Faults; ; { // the fewest events that show it
				used++
				m.Faults = used
				if r = explore(m, limit); r.Violation != 0 || used == most {
					break
				}
			}
			verdict := "NO VIOLATION"
			if r.Violation != 0 {
				verdict = violationName[r.Violation]
			} else {
				silent++
			}
			fmt.Printf("without %-34s in %-15s %d events, %2d steps, %7d states: %s\n", mu.Rule, m.Name, used, len(r.Path), r.States, verdict)
			for n, l := range r.Path {
				fmt.Printf("      %2d %s\n", n+1, l)
			}
		}
	}
	if silent > 0 {
		fmt.Println(silent, "rules can be left out without a violation")
		os.Exit(1)
	}
}
