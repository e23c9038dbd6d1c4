import { bringUp } from './bring-up.ts'
import { bundledUrl } from './bundled-url.ts'
import { openCluster } from './cluster.ts'
import { initCluster } from './init-cluster.ts'
import { stopPostmaster } from './stop-postmaster.ts'
import { unusableHome } from './unavailable.ts'

/** The server that comes with Parley. It outlives our process until someone stops it. */
export interface BundledPostgres {
  readonly url: string
  readonly outcome: 'created' | 'started' | 'adopted'
  readonly pid: number
  readonly stop: () => Promise<void>
}

export interface BundledPostgresOptions {
  readonly home: string
  /** In place of its usual settings, where we are the one who starts it. */
  readonly settings?: Readonly<Record<string, string>>
  readonly onStep?: (what: string) => void
  /** Told what a person should know of. */
  readonly onNotice?: (notice: string) => void
}

export async function startBundledPostgres(options: BundledPostgresOptions): Promise<BundledPostgres> {
  const { home, settings = {}, onStep = () => {}, onNotice = () => {} } = options
  try {
    const cluster = { ...(await openCluster(home, onNotice)), settings }
    const data = await initCluster(cluster, onStep)
    const { pid, port, outcome } = await bringUp(cluster, onStep)
    return {
      url: bundledUrl({ port, password: cluster.password }),
      outcome: data === 'created' && outcome === 'started' ? 'created' : outcome,
      pid,
      stop: () => stopPostmaster(pid, cluster),
    }
  } catch (error) {
    throw unusableHome(home, error)
  }
}
