/** What conversations may hold while the provider runs. */
export interface Held {
  readonly sockets: number
  readonly threads: number
  readonly timers: number
}

/** Of this process, in which the provider and its clients run. */
export function held(ports: Readonly<Record<'voice' | 'tool' | 'database', number>>): Held {
  const { MessagePort: threads = 0, Timeout: timers = 0 } = resources()
  return {
    sockets: connectionsOn(ports.voice) + connectionsOn(ports.tool),
    threads,
    // Each connection of the database that is kept for later has a timer of its own.
    timers: timers - connectionsOn(ports.database),
  }
}

interface Report {
  readonly libuv: readonly {
    readonly localEndpoint?: { readonly port: number } | null
    readonly remoteEndpoint?: { readonly port: number } | null
  }[]
}

/** Both ends of a connection within this process count. */
function connectionsOn(port: number): number {
  // Else it looks up the names of all addresses.
  Object.assign(process.report, { excludeNetwork: true })
  const { libuv } = process.report.getReport() as Report
  return libuv.filter(
    ({ localEndpoint, remoteEndpoint }) =>
      remoteEndpoint && (remoteEndpoint.port === port || localEndpoint?.port === port),
  ).length
}

type Resources = Readonly<Record<string, number>>

/** What keeps this process alive, by kind. */
export function resources(): Resources {
  // The first thread opens the pipes of the process's own output, which stay.
  const others = process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap')
  const kinds = Object.groupBy(others, (kind) => kind)
  return Object.fromEntries(Object.entries(kinds).map(([kind, all = []]) => [kind, all.length]))
}

/** How many of a kind there are now that were not there then. */
export function beyond(then: Resources): Resources {
  const more = Object.entries(resources()).map(([kind, count]) => [kind, count - (then[kind] ?? 0)] as const)
  return Object.fromEntries(more.filter(([, count]) => count > 0))
}
