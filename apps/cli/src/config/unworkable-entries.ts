import { isIP } from 'node:net'

/** Why a command could never be run, if so: there is no shell here. */
export function shellNeed(command: string): string | undefined {
  // What stands in quotes is only text; in double ones a shell would still look for these.
  const bare = command.replace(/'[^']*'|"[^"`$\\]*"/g, '')
  const [found] = /[;&|<>()`$\\\n]/.exec(bare) ?? []
  return found === undefined
    ? undefined
    : `it has ${JSON.stringify(found)}, which only a shell understands, and commands run without one. Put it in a script, and allow that`
}

/** Why a host could never be reached, if so. */
export function unreachableHost(host: string): string | undefined {
  if (host === 'localhost' || host.endsWith('.localhost')) {
    return `"${host}" is this machine, which http_request never reaches. An MCP server of your own config may be here`
  }
  const asAddress = URL.parse(`https://${host}`)?.hostname ?? host
  return isIP(asAddress) === 0
    ? undefined
    : `"${host}" is an address, which http_request never goes to. Write the name of the host`
}
