import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What a program of this folder answers to the job that it is sent. */
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
