/** Resources that conversations can leak. */
export interface HandleCounts {
  readonly sockets: number
  readonly threads: number
  readonly timers: number
}

/** Counts them in this process, which runs the provider and its clients. */
export function countHeldResources(
  ports: Readonly<Record<'voice' | 'tool' | 'database', number>>,
): HandleCounts {
  const { MessagePort: threads = 0, Timeout: timers = 0 } = countActiveHandles()
  return {
    sockets: connectionsOn(ports.voice) + connectionsOn(ports.tool),
    threads,
    // Each pooled database connection has its own timer.
    timers: timers - connectionsOn(ports.database),
  }
}

interface ProcessReport {
  readonly libuv: readonly {
    readonly localEndpoint?: { readonly port: number } | null
    readonly remoteEndpoint?: { readonly port: number } | null
  }[]
}

/** Counts both ends of connections within this process. */
function connectionsOn(port: number): number {
  // Without this, the report resolves all addresses to names.
  Object.assign(process.report, { excludeNetwork: true })
  const { libuv } = process.report.getReport() as ProcessReport
  return libuv.filter(
    ({ localEndpoint, remoteEndpoint }) =>
      remoteEndpoint && (remoteEndpoint.port === port || localEndpoint?.port === port),
  ).length
}

type Resources = Readonly<Record<string, number>>

/** Active handles of this process, by kind. */
export function countActiveHandles(): Resources {
  // The first thread opens the process's output pipes, which stay open.
  const others = process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap')
  const kinds = Object.groupBy(others, (kind) => kind)
  return Object.fromEntries(Object.entries(kinds).map(([kind, all = []]) => [kind, all.length]))
}

/** Increase by kind. */
export function findNewHandles(then: Resources): Resources {
  const more = Object.entries(countActiveHandles()).map(
    ([kind, count]) => [kind, count - (then[kind] ?? 0)] as const,
  )
  return Object.fromEntries(more.filter(([, count]) => count > 0))
}
