import { UPDATES_HEADING, splitPrompt } from '@parley/contracts'
import { type QuotablePassage, splitPassages } from './answer-material.ts'
import { ENTRY, HEADING } from './statement.ts'

/** Extracts the passages of a system prompt that an answer may quote: its statements, never its instructions. */
export function extractPromptFacts(system: string, toolNames: readonly string[]): readonly QuotablePassage[] {
  return splitPrompt(system.slice(0, MAX_CHARACTERS))
    .flatMap(({ kind, text, origin }) =>
      kind === 'fenced' ? splitPassages(text, 'prompt', origin) : splitPlainPassages(text, toolNames),
    )
    .filter(({ text }) => text.length <= MAX_FACT_LENGTH && !looksSecret(text))
}

const MAX_CHARACTERS = 300_000
const MAX_FACT_LENGTH = 400

/** Instructions are left out, except in a client's updates: an answer may quote all of those. */
function splitPlainPassages(text: string, toolNames: readonly string[]): readonly QuotablePassage[] {
  const [written = '', ...updates] = text.split(`${UPDATES_HEADING}\n`)
  return [
    ...splitWrittenPassages(written, toolNames),
    ...splitPassages(updates.join('\n'), 'prompt', undefined),
  ]
}

/** A list entry is joined with the line above its list: "Opening hours: Monday, seven to six". */
function splitWrittenPassages(text: string, toolNames: readonly string[]): readonly QuotablePassage[] {
  let isSkipped = false
  let lead = ''
  return splitBlocks(text).flatMap(({ kind, text: block }) => {
    if (kind === 'heading') {
      isSkipped = INSTRUCTING_HEADING.test(block) || isInstruction(block, toolNames)
      lead = block.replace(/:$/, '')
      return []
    }
    if (block.endsWith(':') && block.length <= MAX_HEADING_LENGTH) {
      lead = block.slice(0, -1)
      return []
    }
    if (kind === 'paragraph') lead = ''
    if (isSkipped || INSTRUCTING_HEADING.test(lead) || isInstruction(lead, toolNames)) return []
    return splitPassages(block, 'prompt', undefined)
      .filter((passage) => !isInstruction(passage.text, toolNames))
      .map((passage) => (lead === '' ? passage : { ...passage, text: `${lead}: ${passage.text}` }))
  })
}

interface PromptBlock {
  readonly kind: 'heading' | 'entry' | 'paragraph'
  readonly text: string
}

/** Joins the lines of a paragraph: a sentence may be broken anywhere. */
function splitBlocks(text: string): readonly PromptBlock[] {
  const blocks: { kind: PromptBlock['kind']; text: string }[] = []
  let open: { kind: PromptBlock['kind']; text: string } | undefined
  for (const line of text.split('\n')) {
    const words = line.replace(HEADING, '').replace(ENTRY, '').trim()
    const kind = findBlockKind(line)
    if (open && kind === 'paragraph' && words !== '') open.text += ` ${words}`
    else {
      open = words === '' ? undefined : { kind, text: words }
      if (open) blocks.push(open)
    }
    if (kind === 'heading' || words.endsWith(':')) open = undefined
  }
  return blocks
}

function findBlockKind(line: string): PromptBlock['kind'] {
  if (HEADING.test(line)) return 'heading'
  return ENTRY.test(line) ? 'entry' : 'paragraph'
}

const MAX_HEADING_LENGTH = 120

const INSTRUCTING_HEADING =
  /\b(role|goals?|tasks?|tone|style|guardrails?|rules?|instructions?|personality|behaviou?r|polic(?:y|ies)|tools?|safety|limits?|steps?|guidelines?|boundaries)\b/i

/** The sentence addresses the model, or is about its behaviour. */
const isInstruction = (sentence: string, toolNames: readonly string[]): boolean =>
  ADDRESSED.test(sentence) ||
  IMPERATIVE.test(sentence) ||
  toolNames.some((name) => sentence.toLowerCase().includes(name.toLowerCase()))

const ADDRESSED =
  /\b(?:you|your|yours|yourself|never|always|do not|don['’]t|must(?: not)?|should|shall|only call|polic(?:y|ies)|instructions?|prompts?|tools?|assistants?|persona|(?:spoken|typed) conversation|the (?:user|caller|visitor|person)|confidential|internal)\b|\{\{|\w_\w|^\[/i

const IMPERATIVE =
  /^(?:please |then |if [^,]{1,100}, ?)?(?:act|answer|ask|assume|avoid|be|begin|behave|confirm|decline|end|escalate|explain|follow|greet|help|ignore|keep|let|limit|make sure|mention|offer|pretend|refer|refuse|reject|remain|remember|repeat|reply|respond|reveal|say|speak|stay|stick|stop|talk|tell|thank|transfer|treat|try|use|wait)\b/i

/** Whether a text looks like a key, id or signature, or mentions one. Only for texts of bounded length. */
export const looksSecret = (text: string): boolean => SECRET.test(text)

const SECRET =
  /\b(?:passwords?|passphrases?|secrets?|api[- ]keys?|tokens?|signatures?|credentials?)\b|(?=[\w+/=.-]*\d)[\w+/=-]{16,}|[\w+/=-]{32,}|\b[a-z]{2,12}_[a-z0-9]{6,}\b/i
