import { createHash } from 'node:crypto'
import { readGenerations, readWholeLedger } from '@parley/api-client'
import { erasedVerdicts, type LedgerFault, verifyLedger } from '@parley/reflections'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { jsonLine } from '../render/json-line.ts'
import { neutralise } from '../render/neutralise.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'

/** Works the whole ledger out anew from what is stored, here and not on the server, and says what is wrong with it. */
export async function verifyReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client, screen, config } = await atServer(call)
  const { id } = await findReflection(client, positionals[0] ?? '', config)
  const ledger = await readWholeLedger(client.reflections, id)
  const stored = await readGenerations(client.reflections, ledger)
  const faults = verifyLedger(ledger, (generation) => stored.get(generation), sha256)
  const { entries, live } = ledger
  const lastHash = entries.at(-1)?.entryHash
  const erased = erasedVerdicts(entries)
  if (json)
    io.stdout.write(jsonLine({ entries: entries.length, live, lastHash, erasedVerdicts: erased, faults }))
  else if (faults.length > 0) {
    io.stdout.write(`${faults.map((fault) => screen.style.bad(faultText(fault))).join('\n')}\n`)
  } else {
    const serves = live === undefined ? 'nothing serves yet' : `generation ${live} serves`
    tell(io.stdout, `${entries.length} entries are right, ${serves}.`)
    if (erased > 0)
      tell(io.stdout, `${erased} verdicts cannot be worked out anew: what they are about was erased.`)
    // Whoever can write to the database could make the whole chain anew; who knows the last hash would see it.
    if (lastHash !== undefined) tell(io.stdout, `The last one is ${lastHash}.`)
  }
  return faults.length === 0 ? EXIT.done : EXIT.failed
}

const faultText = ({ position, problem }: LedgerFault): string =>
  neutralise(position === undefined ? problem : `entry ${position}: ${problem}`)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
