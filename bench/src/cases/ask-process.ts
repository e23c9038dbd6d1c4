import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Runs a program of this folder in a new process, sends it a job and returns its answer. */
export async function askProcess(program: string, job: object, env: NodeJS.ProcessEnv): Promise<unknown> {
  const path = fileURLToPath(new URL(program, import.meta.url))
  const child = fork(path, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  child.send(job)
  const ended = once(child, 'exit')
  const answer = await Promise.race([once(child, 'message'), ended.then(() => undefined)])
  if (child.connected) child.disconnect()
  await ended
  if (answer === undefined) throw new Error(`The process ${program} ended without an answer.`)
  return answer[0]
}
