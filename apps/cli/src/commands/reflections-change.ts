import { type Approval, type ChangeReflection, PlatformError, type Reflection } from '@parley/contracts'
import { z } from 'zod'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { visitorsText, voiceText } from '../reflection/voice-text.ts'
import { jsonLine } from '../render/json-line.ts'
import { tell } from '../render/tell.ts'
import type { CommandCall } from './command.ts'
import { parseOptions } from './parse-options.ts'

const OnOrOff = z.enum(['on', 'off'], 'must be on or off')

const ChangeOptions = z.object({
  name: z.string().trim().min(1).max(200).optional(),
  review: OnOrOff.optional(),
  reviewSessions: OnOrOff.optional(),
  voice: z.string().trim().min(1).max(200).optional(),
  stock: z.boolean().default(false),
  consent: z.boolean().default(false),
  shareIngestion: OnOrOff.optional(),
})
type ChangeOptions = z.infer<typeof ChangeOptions>

/** Gives a reflection another name or voice, or says who approves what it learns, and whether it learns from visitors. */
export async function changeReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const change = changeIn(parseOptions(ChangeOptions, call.options))
  if (Object.keys(change).length === 0) {
    throw new PlatformError('validation', {
      message: 'Say what to change.',
      mend: 'Add --name NAME, --review on, --review off, --review-sessions on or off, --voice ID, or --share-ingestion on or off.',
    })
  }
  const { client, config } = await atServer(call)
  const { id: reflectionId } = await findReflection(client, positionals[0] ?? '', config)
  const changed = await client.reflections.change({ reflectionId, ...change })
  if (json) io.stdout.write(jsonLine(changed))
  else for (const line of linesOf(changed, change)) tell(io.stdout, line)
  return EXIT.done
}

function changeIn(given: ChangeOptions): ChangeReflection {
  const { name, review, reviewSessions, voice, stock, consent, shareIngestion } = given
  if (voice === undefined && (stock || consent)) {
    throw new PlatformError('validation', {
      message: `--${stock ? 'stock' : 'consent'} says something of a voice.`,
      mend: 'Name the voice with --voice ID.',
    })
  }
  return {
    ...(name !== undefined && { displayName: name }),
    ...(review !== undefined && { approval: approvalBy(review) }),
    ...(reviewSessions !== undefined && { conversationApproval: approvalBy(reviewSessions) }),
    ...(voice !== undefined && {
      voice: voice === 'none' ? null : { voiceId: voice, kind: stock ? 'stock' : 'clone', consent },
    }),
    ...(shareIngestion !== undefined && { shareIngestion: shareIngestion === 'on' }),
  }
}

const approvalBy = (review: 'on' | 'off'): Approval => (review === 'on' ? 'by_person' : 'by_rule')

/** How it stands now; of voice and visitors only where that was changed. */
function linesOf(changed: Reflection, { voice, shareIngestion }: ChangeReflection): readonly string[] {
  const { displayName, approval, conversationApproval = 'by_person' } = changed
  const inSessions = `${WHO[conversationApproval]} what is said in sessions`
  return [
    `${displayName}: ${WHO[approval]} what is learned from now on; ${inSessions}.`,
    ...(voice === undefined ? [] : [`Its voice: ${voiceText(changed)}.`]),
    ...(shareIngestion === undefined ? [] : [`What visitors say is ${visitorsText(changed)}.`]),
  ]
}

const WHO: Record<Approval, string> = { by_person: 'a person approves', by_rule: 'rules approve' }
