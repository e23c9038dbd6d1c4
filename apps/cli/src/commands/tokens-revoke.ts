import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findByBeginning } from '../reflection/find-by-beginning.ts'
import { upTo } from '../reflection/up-to.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'

/** Lets a token be none from the next request on. */
export async function revokeToken(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client } = await atServer(call)
  const { items } = await upTo(Number.POSITIVE_INFINITY, (page) => client.tokens.list(page))
  const tokens = items.map(({ tokenId, label }) => ({ id: tokenId, label }))
  const list = 'parley tokens list'
  const { id: tokenId, label } = findByBeginning(tokens, positionals[0] ?? '', { what: 'token', list })
  await client.tokens.revoke(tokenId)
  if (json) io.stdout.write(jsonLine({ tokenId, revoked: true }))
  else tell(io.stdout, `The token of ${label} is revoked.`)
  return EXIT.done
}
