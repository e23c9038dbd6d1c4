/** A part of a text that belongs together. */
export interface TextBlock {
  /** A turn is what one of several speakers says. */
  readonly kind: 'heading' | 'entry' | 'paragraph' | 'turn'
  readonly text: string
  readonly speaker?: string
}

/** The parts of a text in order, without their marks. A line that begins with a name is a turn where people take turns. */
export function blocksOf(text: string, owner?: string): readonly TextBlock[] {
  const lines = text.split('\n')
  const speakers = speakersIn(lines, owner)
  const blocks: TextBlock[] = []
  let open: { kind: TextBlock['kind']; lines: string[]; speaker?: string } | undefined
  const close = () => {
    if (open) blocks.push(blockOf(open))
    open = undefined
  }
  for (const line of lines) {
    const turn = TURN.exec(line)
    const speaker = turn && speakers.has(turn[1] ?? '') ? turn[1] : undefined
    if (line.trim() === '') close()
    else if (speaker !== undefined) {
      close()
      open = { kind: 'turn', lines: [turn?.[2] ?? ''], speaker }
    } else if (HEADING.test(line) || /^\*[^*]+\*$/.test(line.trim())) {
      close()
      blocks.push({ kind: 'heading', text: unmarked(line.replace(HEADING, '')) })
    } else if (ENTRY.test(line)) {
      close()
      open = { kind: 'entry', lines: [line.replace(ENTRY, '')] }
    } else if (open) open.lines.push(line)
    else open = { kind: 'paragraph', lines: [line] }
  }
  close()
  return blocks.length === 1 ? blocks : blocks.map(withoutEnd)
}

const TURN = /^((?:\p{Lu}[\p{L}\p{M}.'’-]*)(?: \p{L}[\p{L}\p{M}.'’-]*){0,4}): (\S.*)$/u
const HEADING = /^[ \t]*#{1,6}[ \t]+/
const ENTRY = /^[ \t]*(?:[-*+•]|\d+[.)])[ \t]+/

/** Those who speak twice, or with the owner of the text or an interviewer. */
function speakersIn(lines: readonly string[], owner = ''): ReadonlySet<string> {
  const names = lines.flatMap((line) => TURN.exec(line)?.[1] ?? [])
  const isDialogue = names.some(
    (name, index) =>
      isOwner(name, owner) || /^(?:interviewer|question)\b/i.test(name) || names.indexOf(name) !== index,
  )
  return new Set(isDialogue ? names : [])
}

/** "Ada" and "Ada Winter" are Ada Winter. */
export const isOwner = (name: string, owner: string): boolean =>
  owner !== '' && (name === owner || name === owner.split(' ')[0])

function blockOf({
  kind,
  lines,
  speaker,
}: {
  kind: TextBlock['kind']
  lines: readonly string[]
  speaker?: string
}): TextBlock {
  // In a chat each line is said for itself; in other texts a sentence may go on in the next.
  const text = kind === 'turn' ? lines.map((line) => line.trim()).join('\n') : lines.join(' ')
  return { kind, text: unmarked(text), ...(speaker !== undefined && { speaker }) }
}

/** A paragraph that does not end as a sentence is a heading, a salutation, a closing or an address. */
const withoutEnd = (block: TextBlock): TextBlock =>
  block.kind === 'paragraph' && !/[.!?…:;]["'”’)]*$/.test(block.text) && block.text.length <= LONGEST_HEADING
    ? { ...block, kind: 'heading' }
    : block

const LONGEST_HEADING = 100

const unmarked = (text: string): string =>
  text
    .replace(/\*\*|__|`|\*(?=\S)|(?<=\S)\*/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim()
    .replace(/^P\. ?S\. /, '')
