import type { Environment } from '../environment.ts'
import { EXIT } from '../exit-code.ts'
import { toJsonLine } from '../render/output.ts'
import type { ReadyServer } from '../up/bring-up.ts'
import { type ChildHost, keepChild, keepVoice, listenForStop } from '../up/keep-child.ts'
import { type RunningServer, claimHome, shortenHome, findOwnerToken } from '../up/run-file.ts'
import type { RunCommand } from './command.ts'

type PrintLine = (line: string) => void

/** Everything on one machine: Postgres, migrations, API, worker, voice provider and console, until Ctrl-C. */
export const runUp: RunCommand = async ({ io, json, environment }) => {
  // With --json, standard output carries one document; messages go to standard error.
  const say: PrintLine = (line) => (json ? io.stderr : io.stdout).write(`${line}\n`)
  const claim = await claimHome(environment.home)
  if (claim.kind === 'taken') {
    const { run } = claim
    const token = run?.url && (await findOwnerToken(run.url, environment))
    if (json) io.stdout.write(toJsonLine({ alreadyRunning: true, ...run, ...(token && { token }) }))
    else say(describeRunning(run, environment.home))
    if (!json && run?.url && token) say(formatOpenLine(run.url, token))
    return EXIT.done
  }
  const sayReady = (ready: ReadyServer) => {
    if (json) io.stdout.write(toJsonLine(ready))
    else say(`${formatOpenLine(ready.url, ready.token)}\n\nready ${JSON.stringify(ready)}`)
  }
  const stop = listenForStop()
  const lost = Promise.withResolvers<never>()
  const undo: (() => Promise<void>)[] = [() => claim.release()]
  try {
    // Loaded only if no other server runs.
    const { startServer } = await import('../up/bring-up.ts')
    const steps = startServer({
      environment,
      claim,
      say,
      sayReady,
      startParts: ({ databaseUrl, ...host }) =>
        startChildren(environment, {
          ...host,
          variables: () => ({ ...io.variables, DATABASE_URL: databaseUrl }),
        }),
      undo,
      onLost: lost.reject,
    })
    await Promise.race([steps, stop.requested])
    await (stop.isRequested() ? Promise.allSettled([steps]) : Promise.race([stop.requested, lost.promise]))
  } finally {
    if (stop.isRequested()) say('\nstopping …')
    for (const clearUp of undo.toReversed()) {
      await clearUp().catch((failure: unknown) =>
        io.stderr.write(`  ! could not clean up: ${String(failure)}\n`),
      )
    }
  }
  say('stopped')
  return EXIT.done
}

/** Separate processes, so that imports and speech do not slow down answers. */
const startChildren = (environment: Environment, host: Omit<ChildHost, 'name'>) => ({
  worker: keepChild({ ...host, name: 'worker' }),
  voice: keepVoice(host, environment.voicePort),
})

const formatOpenLine = (url: string, token: string) => `  open ${url}/#token=${token}`

function describeRunning(run: RunningServer | undefined, home: string): string {
  const where = run?.url === undefined ? 'is just starting' : `is running at ${run.url}`
  const fix = run ? ` (process ${run.pid}). Ctrl-C there, or \`kill ${run.pid}\`, stops it.` : '.'
  return `Parley ${where} with the data in ${shortenHome(home)}${fix}`
}
