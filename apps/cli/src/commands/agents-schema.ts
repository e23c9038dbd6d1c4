import { jsonSchemaOf } from '../agent/json-schema.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import type { CommandCall } from './command.ts'

/** Prints the JSON Schema of agent files, for editors. */
export async function agentSchema({ io }: CommandCall): Promise<ExitCode> {
  io.stdout.write(jsonSchemaOf('agent'))
  return EXIT.done
}
