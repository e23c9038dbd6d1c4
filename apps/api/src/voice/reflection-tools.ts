import { createHash } from 'node:crypto'
import {
  type MediaHandle,
  PlatformError,
  ProposeCorrection,
  type Retrieved,
  toolInput,
  VoiceAction,
} from '@parley/contracts'
import {
  type AnyTool,
  createToolRegistry,
  type Plan,
  refuse,
  type Refusal,
  type Secret,
  type Tool,
  type ToolRegistry,
  type ToolSession,
  type ToolText,
} from '@parley/engine'
import type { ReflectionSession, ReflectionSessionStore } from '@parley/reflections'
import { z } from 'zod'
import {
  allowed,
  proposeFactCorrection,
  requestSourceIngest,
  retrieveContext,
  type ToolCallHost,
} from './tool-call.ts'

export interface ReflectionToolsHost extends ToolCallHost {
  readonly reflectionSessions: Pick<ReflectionSessionStore, 'find'>
  readonly secrets: () => readonly Secret[]
  readonly handleOf: (bytes: Uint8Array) => MediaHandle
}

/** The tools of a session with a reflection, by the same door as all others; undefined for any other session. */
export async function reflectionToolsOf(
  { id, agentSnapshot }: Pick<ToolSession, 'id' | 'agentSnapshot'>,
  host: ReflectionToolsHost,
): Promise<ToolRegistry | undefined> {
  const granted = agentSnapshot.tools ?? []
  if (!granted.some((name) => VoiceAction.safeParse(name).success)) return undefined
  if (!(await host.reflectionSessions.find(id))) return undefined
  return createToolRegistry(toolsFor(id, host), {
    granted,
    secrets: host.secrets,
    handleOf: host.handleOf,
    hash: (text) => createHash('sha256').update(text).digest('hex'),
    bytesOf: (text) => Buffer.from(text),
  })
}

const RetrieveContext = z.strictObject({
  query: z.string().trim().min(1).max(1_000).describe('What to look up, as a question.'),
})
const RequestSourceIngest = z.strictObject({
  title: z.string().trim().min(1).max(300).optional().describe('What it is called, in a few words.'),
  text: z.string().trim().min(1).max(100_000).describe('What is to be learned, in the words of the person.'),
})

function toolsFor(sessionId: ReflectionSession['sessionId'], host: ReflectionToolsHost): readonly AnyTool[] {
  // What the session is now is asked at each call: it may have ended, and its person may have another role by now.
  const from = async () => ({ session: await host.reflectionSessions.find(sessionId) })

  const plan = async (
    action: VoiceAction,
    carryOut: Plan['carryOut'],
    { target, origin }: { readonly target: string; readonly origin?: string },
  ): Promise<Plan | Refusal> => {
    const why = await whyRefused(async () => allowed(action, await from(), host))
    if (why !== undefined) return refuse(why, 'tool_denied', target)
    return { kind: 'plan', target, carryOut, ...(origin !== undefined && { origin }) }
  }

  const lookUp: Tool<z.infer<typeof RetrieveContext>> = {
    name: 'retrieve-context',
    description: 'Looks up what the sources say about a question. Answer from what it gives.',
    input: toolInput(RetrieveContext),
    mayRepeat: true,
    plan: (asked) =>
      plan(
        'retrieve-context',
        async (signal) => found(await retrieveContext(await from(), asked, host, signal)),
        { target: asked.query, origin: 'the sources of this reflection' },
      ),
  }
  const ingest: Tool<z.infer<typeof RequestSourceIngest>> = {
    name: 'request-source-ingest',
    description: 'Hands in something that the person wants to be learned.',
    input: toolInput(RequestSourceIngest),
    plan: (told) =>
      plan(
        'request-source-ingest',
        async () => {
          const { id } = await requestSourceIngest(await from(), told, host)
          return ok(`Handed in as ${id}. It is read now; what it says counts once that is approved.`)
        },
        { target: told.title ?? 'what was told' },
      ),
  }
  const correct: Tool<ProposeCorrection> = {
    name: 'propose-fact-correction',
    description: 'Proposes that a fact is wrong, and how it is instead.',
    input: toolInput(ProposeCorrection),
    plan: (asked) =>
      plan(
        'propose-fact-correction',
        async () => {
          const { patchId } = await proposeFactCorrection(await from(), asked, host)
          return ok(`Proposed as ${patchId}. The fact stays as it is until the correction is approved.`)
        },
        { target: asked.fact },
      ),
  }
  return [lookUp, ingest, correct]
}

async function whyRefused(decide: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await decide()
    return undefined
  } catch (failure) {
    if (failure instanceof PlatformError) return `${failure.detail.message ?? failure.code} Go on without it.`
    throw failure
  }
}

/** As a model reads it: the words, and what they stand in. */
function found({ evidence, partial }: Retrieved): ToolText {
  const items = evidence.map(({ text, source, place, corrects }) => ({
    text,
    source: source.title,
    ...(corrects !== undefined && { corrects }),
    ...(place.date !== undefined && { date: place.date }),
    ...(place.speaker !== undefined && { speaker: place.speaker }),
  }))
  return ok(JSON.stringify({ evidence: items, ...(partial && { partial }) }))
}

const ok = (text: string): ToolText => ({ kind: 'ok', text })
