import { EXIT, type ExitCode } from '../exit-code.ts'
import { atServer } from '../reflection/at-server.ts'
import { findReflection } from '../reflection/find-reflection.ts'
import { upTo } from '../reflection/up-to.ts'
import { waitingFacts, waitingText } from '../reflection/waiting-facts.ts'
import { visitorsText, voiceText } from '../reflection/voice-text.ts'
import { jsonLine } from '../render/json-line.ts'
import { localTime } from '../render/local-time.ts'
import { neutralise } from '../render/neutralise.ts'
import { shortId } from '../session/short-id.ts'
import type { CommandCall } from './command.ts'

/** Prints one reflection: its namespaces, how many sources it has and how they stand. */
export async function showReflection(call: CommandCall): Promise<ExitCode> {
  const { io, json, positionals } = call
  const { client, screen, config } = await atServer(call)
  const reflection = await findReflection(client, positionals[0] ?? '', config)
  const { id: reflectionId } = reflection
  const { items } = await upTo(Number.POSITIVE_INFINITY, (page) =>
    client.reflections.sources({ ...page, reflectionId }),
  )
  const sources: Record<string, number> = {}
  for (const { state } of items) sources[state] = (sources[state] ?? 0) + 1
  const facts = items.reduce((sum, source) => sum + source.facts, 0)
  const waiting = await waitingFacts(client, reflectionId)
  if (json) {
    io.stdout.write(jsonLine({ ...reflection, sources, facts, waiting }))
    return EXIT.done
  }
  const { displayName, creatorName, approval, createdAt, namespaces } = reflection
  const states = Object.entries(sources).map(([state, count]) => `${count} ${state}`)
  const lines: readonly (readonly [string, string])[] = [
    ['id', `${shortId(reflectionId)} (${reflectionId})`],
    ['made', localTime(createdAt)],
    ...(creatorName === undefined ? [] : [['of', creatorName] as const]),
    ['facts', `${facts}, ${approval === 'by_person' ? 'each approved by a person' : 'approved by rule'}`],
    ...(waiting === 0 ? [] : [['waiting', waitingText(waiting, reflectionId)] as const]),
    ['sources', states.join(', ') || 'none'],
    ['voice', voiceText(reflection)],
    ['visitors', `what they say is ${visitorsText(reflection)}`],
    ...namespaces.map(
      ({ name, isPublished }) => ['namespace', `${name}${isPublished ? ' (published)' : ''}`] as const,
    ),
  ]
  const shown = lines.map(([label, value]) => `${screen.style.dim(label.padEnd(10))} ${neutralise(value)}`)
  io.stdout.write(`${screen.style.bold(neutralise(displayName))}\n${shown.join('\n')}\n`)
  return EXIT.done
}
