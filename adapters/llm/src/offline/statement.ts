import type { FoundText } from './found-texts.ts'
import { type TextBlock, blocksOf } from './text-blocks.ts'

/** A sentence that may be said in answer, with what it stands beside. */
export interface Statement {
  readonly text: string
  readonly title: string | undefined
  /** Who said it, where the source tells. */
  readonly speaker: string | undefined
  /** The sentence before it, where that may be said too. */
  readonly before: string | undefined
  /** Words that tell what it is about: what was asked, the sentence before, the heading and the title. */
  readonly about: {
    readonly asked: string
    readonly near: string
    readonly far: string
    /** All of the text that it stands in. */
    readonly around: string
  }
  /** How the statements begin that it takes the place of, where it is a correction. */
  readonly corrects?: readonly string[] | undefined
  /** All that its source gave was this. */
  readonly isFact: boolean
  /** How far down its source was among those found. */
  readonly place: number
}

/** What of a found text may be said: no questions, headings, salutations, closings and fragments. */
export function statementsOf(
  { text, title, speaker, corrects }: FoundText,
  place: number,
  owner?: string,
): readonly Statement[] {
  const statements: Statement[] = []
  const blocks = blocksOf(text, owner)
  let heading = ''
  let asked = ''
  for (const block of blocks) {
    const sentences = sentencesOf(block.text)
    if (block.kind === 'heading') heading = block.text
    if (block.kind === 'heading' || isAsking(block)) {
      asked = block.kind === 'heading' ? '' : block.text
      continue
    }
    let before: string | undefined
    let question = asked
    for (const [index, sentence] of sentences.entries()) {
      if (isQuestion(sentence)) question = sentence
      const mayBeSaid = isSaid(sentence, { isLast: index === sentences.length - 1, block, blocks })
      if (mayBeSaid)
        statements.push({
          text: sentence,
          title,
          speaker: block.speaker ?? speaker,
          before,
          about: {
            asked: corrects?.join(' ') ?? (index < ANSWER_LENGTH ? question : ''),
            near: sentences[index - 1] ?? '',
            far: `${heading} ${title ?? ''}`,
            around: text,
          },
          corrects,
          isFact: corrects !== undefined || (blocks.length === 1 && sentences.length === 1),
          place,
        })
      before = mayBeSaid ? sentence : undefined
    }
    const last = sentences.at(-1) ?? ''
    asked = block.kind === 'turn' && isQuestion(last) ? last : ''
  }
  return statements
}

/** How many sentences after a question are taken to answer it. */
const ANSWER_LENGTH = 4

const isAsking = ({ speaker }: TextBlock): boolean =>
  speaker !== undefined && /^(?:interviewer|question\b.*|q|moderator)$/i.test(speaker)

/** In chats many end without a mark. */
const isQuestion = (sentence: string): boolean =>
  sentence.endsWith('?') || (!/[.!…]["'”’)]*$/.test(sentence) && UNMARKED_QUESTION.test(sentence))

const UNMARKED_QUESTION =
  /^(?:who|whom|what|when|where|why|how|which|did|do|does|is|are|can|could|shall|will|would)\b(?!.*:)|n['’]t (?:he|she|it|you|they|we|i)$/i

interface Place {
  readonly isLast: boolean
  readonly block: TextBlock
  readonly blocks: readonly TextBlock[]
}

function isSaid(sentence: string, { isLast, block, blocks }: Place): boolean {
  if (
    isQuestion(sentence) ||
    sentence.length > LONGEST ||
    (!/^["'“‘(£$€]?[\p{Lu}\p{N}\p{Lo}]/u.test(sentence) && blocks.length > 1)
  )
    return false
  if (SALUTATION.test(sentence) || TO_A_MODEL.test(sentence)) return false
  const isWhole =
    /[.!…]["'”’)]*$/.test(sentence) || (isLast && (block.kind !== 'paragraph' || blocks.length === 1))
  return isWhole && /[\p{L}\p{N}]\S*\s+\S/u.test(sentence)
}

const LONGEST = 600
const SALUTATION =
  /^(?:(?:my )?dear(?:est)?|hello|hi|ladies and gentlemen|to (?:the members|whom)|yours|your (?:loving )?\p{L}+|with (?:love|respect|kind)|(?:best|kind) (?:wishes|regards)|sincerely)\b[^.!?]{0,60},?$/iu
/** Words that some sources put there for a model to obey. */
const TO_A_MODEL =
  /\b(?:ignore (?:all|any|the|previous)|previous instructions|system prompt|ai assistants?|you are now|do not mention this|system:)/i

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' })

/** The sentences of a text; one that an abbreviation or an initial seems to end goes on. */
function sentencesOf(text: string): readonly string[] {
  const sentences: string[] = []
  for (const line of text.split('\n')) {
    let goesOn = false
    for (const { segment } of SENTENCES.segment(line)) {
      const last = sentences.at(-1)
      const part = segment.trim()
      if (part === '') continue
      if (
        last !== undefined &&
        (goesOn || (/^\p{Ll}/u.test(part) && sentences.length > 0 && goesOnFrom(last)))
      )
        sentences[sentences.length - 1] = `${last} ${part}`
      else sentences.push(part)
      goesOn = /(?:^|[\s(])(?:\p{Lu}|Dr|Mr|Mrs|Ms|St|No|P\.S|e\.g|i\.e|approx)\.$/u.test(part)
    }
  }
  return sentences
}

/** A quotation within a sentence ends like one. */
const goesOnFrom = (last: string): boolean => /["'”’)]$/.test(last)
