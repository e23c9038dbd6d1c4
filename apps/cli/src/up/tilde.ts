import { homedir } from 'node:os'

/** A path as people write it. */
export const tilde = (path: string): string =>
  path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path
