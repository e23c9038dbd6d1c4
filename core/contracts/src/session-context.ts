import { z } from 'zod'
import { strictObject } from './strict-object.ts'

export const FsScopeTier = z.enum(['sandboxed', 'project', 'full'])
export type FsScopeTier = z.infer<typeof FsScopeTier>

/** What happens to a turn that would exceed the session's budget; the strictest first. */
export const OnExceed = z.enum(['fail', 'pause_for_approval', 'warn'])

const FilePath = z.string().max(4_096)

const MOST_VARIABLES = 100
const LONGEST_VARIABLES = 65_536

const Variables = z
  .record(z.string(), z.string())
  .refine((all) => Object.keys(all).length <= MOST_VARIABLES, `at most ${MOST_VARIABLES} variables`)
  .refine(
    (all) => lengthOf(all) <= LONGEST_VARIABLES,
    `at most ${LONGEST_VARIABLES} characters in all, the names counted`,
  )

/** The situation a session runs in. Plain text, echoed in `session:started`: never holds a secret. */
export const SessionContextSchema = strictObject({
  workingDir: FilePath.min(1),
  activeFile: FilePath.optional(),
  selection: strictObject({
    file: FilePath,
    startLine: z.int().positive(),
    endLine: z.int().positive(),
  }).optional(),
  gitRef: z.string().max(1_024).optional(),
  fsScopeTier: FsScopeTier.default('sandboxed'),
  variables: Variables.optional(),
})
export type SessionContext = z.infer<typeof SessionContextSchema>

const lengthOf = (all: Readonly<Record<string, string>>) =>
  Object.entries(all).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
