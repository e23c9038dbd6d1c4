import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { PlatformError } from '@parley/contracts'

/**
 * A project's agent file must be the project's own. One that leads elsewhere could have any file of the person read,
 * and told of. What the person keeps among their own agents may lead anywhere.
 */
export async function refuseLinkOut(file: string, home: string): Promise<void> {
  const folder = dirname(resolve(file))
  const inParley = basename(folder) === 'agents' && basename(dirname(folder)) === '.parley'
  if (!inParley) return
  const [project, real, ...folders] = await Promise.all(
    [dirname(dirname(folder)), file, folder, join(home, 'agents')].map(realOf),
  )
  const isOwn = folders[0] !== undefined && folders[0] === folders[1]
  // What is not there is told of by those who read it.
  if (isOwn || project === undefined || real === undefined) return
  if (real.startsWith(project.endsWith(sep) ? project : `${project}${sep}`)) return
  throw new PlatformError('config_invalid', {
    message: `${file}:1:1: it is a link that leads out of its project, and was not read`,
    mend: 'Put the file itself there, or name the one that it leads to.',
    file,
  })
}

const realOf = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined)
