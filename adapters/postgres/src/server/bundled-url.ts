/** The address of a database of the bundled server, for its owner. A server that does not prove itself is not it. */
export function bundledUrl(
  { port, password }: { readonly port: number; readonly password: string },
  database = 'parley',
): string {
  return `postgresql://parley:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}?require_auth=scram-sha-256`
}
