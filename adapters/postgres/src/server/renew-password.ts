import type { Cluster } from './cluster.ts'
import { run } from './launcher.ts'
import type { Postmaster } from './postmaster-pid.ts'
import { stopPostmaster } from './stop-postmaster.ts'
import { complaint, unavailable } from './unavailable.ts'

/** The password file counts: if it was lost and made anew, the server takes the new one. */
export async function renewPassword(running: Postmaster, cluster: Cluster): Promise<void> {
  await stopPostmaster(running.pid, cluster)
  // In single-user mode Postgres asks for no password and lets nobody else in.
  const { code, output } = await run(
    cluster.launcher,
    cluster.binaries.postgres,
    ['--single', '-D', cluster.data, 'postgres'],
    `alter role parley password '${cluster.password.replaceAll("'", "''")}'\n`,
  )
  if (code === 0) return
  throw unavailable(`Postgres did not take the password in ${cluster.passwordFile}:\n${complaint(output)}`)
}
