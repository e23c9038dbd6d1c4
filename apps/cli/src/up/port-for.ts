import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** The port that is wanted, or a free one for 0: who calls us back is told it before we listen. */
export async function portFor(wanted: number): Promise<number> {
  if (wanted !== 0) return wanted
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
