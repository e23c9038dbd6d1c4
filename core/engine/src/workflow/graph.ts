/** What follows each node. */
export type Graph = ReadonlyMap<string, readonly string[]>

/** One way round that comes back to its start, from start to start; empty where there is none. */
export function findCycle(graph: Graph): readonly string[] {
  const done = new Set<string>()
  for (const start of graph.keys()) {
    // A stack of our own: a chain may be longer than the language's is deep.
    const way: { readonly id: string; taken: number }[] = []
    const onWay = new Set<string>()
    const enter = (id: string) => {
      way.push({ id, taken: 0 })
      onWay.add(id)
    }
    if (!done.has(start)) enter(start)
    for (let here = way.at(-1); here; here = way.at(-1)) {
      const next = graph.get(here.id)?.[here.taken]
      here.taken += 1
      if (next === undefined) {
        done.add(here.id)
        onWay.delete(here.id)
        way.pop()
      } else if (onWay.has(next)) {
        const ids = way.map(({ id }) => id)
        return [...ids.slice(ids.indexOf(next)), next]
      } else if (!done.has(next)) enter(next)
    }
  }
  return []
}

export function reachableFrom(start: string | undefined, graph: Graph): ReadonlySet<string> {
  const reached = new Set<string>(start === undefined ? [] : [start])
  // A set that grows while it is walked is walked to its new end.
  for (const id of reached) for (const next of graph.get(id) ?? []) reached.add(next)
  return reached
}
