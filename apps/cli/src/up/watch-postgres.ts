import { type BundledPostgres, startBundledPostgres } from '@parley/postgres'
import { isAlive } from './is-alive.ts'

const LOOK_EVERY_MS = 500

/**
 * Starts the bundled server again whenever it has died. It comes back on its old port where it can, and the pools
 * that outlived it connect anew; where it cannot, `onLost` is told.
 */
export function watchPostgres(
  first: BundledPostgres,
  { home, say, onLost }: { home: string; say: (line: string) => void; onLost: (reason: unknown) => void },
) {
  let server = first
  let reviving: Promise<void> | undefined
  const revive = async () => {
    say('  postgres has died; starting it again …')
    const next = await startBundledPostgres({ home })
    server = next
    if (next.url !== first.url) throw new Error('Postgres came back at another address; start Parley again.')
    say('  ✓ postgres  is back')
  }
  const timer = setInterval(() => {
    if (reviving || isAlive(server.pid)) return
    reviving = revive()
      .catch(onLost)
      .finally(() => {
        reviving = undefined
      })
  }, LOOK_EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      await reviving
      await server.stop()
    },
  }
}
