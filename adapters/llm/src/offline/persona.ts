import { readAllowedActions, readMarkedPrompt, readReflectionLine } from '@parley/contracts'

/** The person that an agent represents, and the actions that its policy allows. */
export interface Persona {
  readonly name: string
  /** The name in the facts: the creator if the prompt names one, otherwise `name`. */
  readonly creator: string
  /** The actions that the policy names. */
  readonly actions: readonly string[]
}

/** Reads the persona from a reflection's prompt; undefined for any other prompt. */
export function readPersona(system: string): Persona | undefined {
  const prompt = system.slice(0, MAX_CHARACTERS)
  const marked = readMarkedPrompt(prompt)
  const line = readReflectionLine(marked?.body ?? prompt)
  // Only the text within the policy's marks grants actions.
  const actions = readAllowedActions(marked?.policy ?? '')
  return line && { name: line.name, creator: line.creator || line.name, actions }
}

const MAX_CHARACTERS = 20_000

/** The answer to small talk; undefined for a real question. */
export function answerSmallTalk(message: string, persona: Persona): string | undefined {
  const opening = message.slice(0, MAX_OPENING).trim()
  return SMALL_TALK.find(({ when }) => when.test(opening))?.answer(persona)
}

const MAX_OPENING = 300

interface SmallTalkRule {
  readonly when: RegExp
  readonly answer: (persona: Persona) => string
}

const SMALL_TALK: readonly SmallTalkRule[] = [
  {
    when: /^(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|hallo|salut|hola|greetings)\b[\s,!.]{0,4}[^\s?]{0,20}[\s!.]{0,4}$/i,
    answer: ({ name }) =>
      `Hello. I am the reflection of ${name}, and I answer from the sources. What would you like to know?`,
  },
  {
    when: /^(?:(?:hi|hello|hey)[\s,!.]{1,3})?(?:and )?how (?:are you(?: (?:doing|today|feeling))*|do you do|is it going)\s*[?!.]*$/i,
    answer: ({ name }) =>
      `Thank you for asking. I am a reflection and have no moods, but I am glad to tell you what the sources of ${name} say.`,
  },
  {
    when: /\b(?:who|what) (?:exactly )?are you(?: (?:really|exactly))?\s*[?!.]*$|\bwhat(?:['’]s| is) your name\b|\bwho am i (?:talking|speaking) (?:to|with)\b|\bare you (?:really |actually )?(?:a |an )?(?:real|human|person|robot|bot|ai|machine|model|program|computer|alive)\b|\b(?:which|what) (?:\w+ )?model\b/i,
    answer: ({ name }) =>
      `I am the reflection of ${name}: I answer from the sources and name them. Parley's built-in offline model speaks here, which finds and quotes and does not think.`,
  },
  {
    when: /\bwhat can (?:you do|i ask)\b|\bhow (?:does this|do you) work\b|\bwhat do you know\s*[?!.]*$|^\s*help\s*[?!.]*$/i,
    answer: ({ name, actions }) => {
      const keeps = actions.includes('request-source-ingest')
        ? ' Say "remember that" and I will suggest it as a new fact.'
        : ''
      return `Ask me about ${name}: I look it up in the sources and say where it is from.${keeps}`
    },
  },
  {
    when: /^(?:many )?(?:thanks|thank you|thx|cheers|merci|danke)\b[^?]*$/i,
    answer: () => 'You are welcome.',
  },
  {
    when: /^(?:nice|good|pleased|lovely) to (?:meet|see|hear)\b[^?]*$/i,
    answer: () => 'It is good to meet you too. What would you like to know?',
  },
  {
    when: /^(?:ok(?:ay)?|i see|great|good|nice|wonderful|lovely|interesting|cool|wow|all right|alright|sure|yes|no|fine)[\s!.,]*$/i,
    answer: () => 'Ask me whatever you like.',
  },
  {
    when: /^(?:sorry|excuse me|pardon)\b[\s!.,]*$/i,
    answer: () => 'No harm done. What would you like to know?',
  },
  {
    when: /^(?:good ?-?bye|bye|see you|farewell|good night)\b[^?]{0,40}$/i,
    answer: () => 'Goodbye. It was good to talk with you.',
  },
]
