import { type Approval, PlatformError } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const OnOrOff = z.enum(['on', 'off'], 'must be on or off')

const ChangeOptions = z.object({
  name: z.string().trim().min(1).max(200).optional(),
  review: OnOrOff.optional(),
  reviewSessions: OnOrOff.optional(),
})

/** Gives a reflection another name, or says whether a person approves what it learns. */
export async function changeReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { name, review, reviewSessions } = parseOptions(ChangeOptions, call.options)
  if (name === undefined && review === undefined && reviewSessions === undefined) {
    throw new PlatformError('validation', {
      message: 'Say what to change.',
      mend: 'Add --name NAME, --review on, --review off, or --review-sessions on or off.',
    })
  }
  const { client, config } = await atServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const changed = await client.reflections.change({
    reflectionId,
    ...(name !== undefined && { displayName: name }),
    ...(review !== undefined && { approval: approvalBy(review) }),
    ...(reviewSessions !== undefined && { conversationApproval: approvalBy(reviewSessions) }),
  })
  const { displayName, approval, conversationApproval = 'by_person' } = changed
  const inSessions = `${WHO[conversationApproval]} what is said in sessions`
  if (json) io.stdout.write(jsonLine(changed))
  else tell(io.stdout, `${displayName}: ${WHO[approval]} what is learned from now on; ${inSessions}.`)
  return EXIT.done
}

const approvalBy = (review: 'on' | 'off'): Approval => (review === 'on' ? 'by_person' : 'by_rule')

const WHO: Record<Approval, string> = { by_person: 'a person approves', by_rule: 'rules approve' }
