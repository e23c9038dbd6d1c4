import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** The `.parley` folder of the project that a folder belongs to: the nearest one upwards, below the person's own folder. */
export async function findProject(workingDir: string, home: string): Promise<string | undefined> {
  const [stop, own] = await Promise.all([real(homedir()), real(home)])
  for (let folder = await real(workingDir); folder !== stop; folder = dirname(folder)) {
    const candidate = join(folder, '.parley')
    const found = await stat(candidate).catch(() => undefined)
    if (found?.isDirectory() && (await real(candidate)) !== own) return candidate
    if (dirname(folder) === folder) return undefined
  }
  return undefined
}

const real = (path: string): Promise<string> => realpath(path).catch(() => path)
