import { jsonSchemaOf } from '../agent/json-schema.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import type { CommandCall } from './command.ts'

/** Prints the JSON Schema of config files, for editors. */
export async function configSchema({ io }: CommandCall): Promise<ExitCode> {
  io.stdout.write(jsonSchemaOf('config'))
  return EXIT.done
}
