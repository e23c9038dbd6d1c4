import { resolve } from 'node:path'
import { PlatformError } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { NamedSession } from '../session/named-session.ts'
import { writeTo } from '../talk/print-answer.ts'
import { atSession } from './at-session.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'
import { writeExport } from './write-export.ts'

const ExportOptions = z.object({
  output: z.string().min(1, 'needs the name of a file').default('-'),
  force: z.boolean().default(false),
})

/** Writes a session as a workflow file that can be read, reviewed and run. */
export function exportSession(call: CommandCall): Promise<ExitCode> {
  const { io, json, options } = call
  const { output, force } = parseOptions(ExportOptions, options)
  return atSession(call, async (session) => {
    const { workflow, yaml } = await session.exported()
    const turns = workflow.nodes.filter(({ type }) => type === 'agent').length
    const figures = { nodes: workflow.nodes.length, turns, bytes: Buffer.byteLength(yaml) }
    if (output === '-') {
      await writeTo(io.stdout, json ? jsonLine({ ...figures, yaml }) : yaml)
      await noteExport(session)
      return EXIT.done
    }
    const file = resolve(output)
    await writeExport(file, yaml, { overwrite: force })
    await noteExport(session)
    if (json) io.stdout.write(jsonLine({ file, ...figures }))
    else tell(io.stdout, `${turns === 1 ? '1 turn is' : `${turns} turns are`} in ${file}.`)
    return EXIT.done
  })
}

/** What cannot be noted, such as on a disk that can only be read, was exported all the same. */
async function noteExport(session: NamedSession): Promise<void> {
  await session.noteExport().catch((failure: unknown) => {
    if (!(failure instanceof PlatformError)) throw failure
  })
}
