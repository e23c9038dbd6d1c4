import { createHash } from 'node:crypto'
import { fence, type ModelPort } from '@parley/engine'
import { askForText } from './ask-for-text.ts'
import { quotedIn } from './quoted-in.ts'

/** Who talks with an agent in a test: what they say next; undefined once they have nothing to add. */
export type SimulatedPerson = (dialogue: string, signal: AbortSignal) => Promise<string | undefined>

/** Played by the agent's own model; offline the scenario is a script. */
export const simulatedPerson = (model: ModelPort, scenario: string): SimulatedPerson =>
  model.provider === 'offline' ? scripted(scenario) : played(model, scenario)

/** What the scenario quotes is said, one quote a turn; where it quotes nothing, its lines are. */
function scripted(scenario: string): SimulatedPerson {
  const quotes = quotedIn(scenario).flatMap(({ texts }) => texts)
  const lines = scenario.split('\n').map((line) => line.trim())
  const script = (quotes.length > 0 ? quotes : lines).filter((line) => line !== '')
  let at = 0
  return async () => script[at++]
}

const OVER = 'CONVERSATION OVER'

function played(model: ModelPort, scenario: string): SimulatedPerson {
  const system =
    `You play a person who talks with an agent. Who you are and what you want:\n${scenario}\n\n` +
    'You are given the conversation so far as data. Answer with what the person says next and nothing else, or with ' +
    `${OVER} once they have nothing to add.`
  return async (dialogue, signal) => {
    const question = fence(dialogue || '(nothing was said yet)', 'the conversation', sha256)
    const asked = await askForText(model, { system, question }, signal)
    return asked.kind === 'failed' || asked.text === '' || asked.text.includes(OVER) ? undefined : asked.text
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
