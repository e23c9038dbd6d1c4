import { PlatformError, type ShortenedSession, nearest } from '@parley/contracts'
import type { Edit } from '../prompt/prompt.ts'
import { inOneLine } from '../render/text.ts'
import { costLines, placeLine } from '../render/session-lines.ts'
import { tellingOf } from '../render/tool-lines.ts'
import { SessionTitle } from '../session/find-session.ts'
import { type SlashCall, type SlashCommand, type SlashHost, type SlashResult, told } from './slash-host.ts'

async function help({ offered }: SlashCall): Promise<SlashResult> {
  const names = offered.map(usageOf)
  const width = Math.max(...names.map((name) => name.length))
  return told(
    ...offered.map(({ summary }, index) => `${(names[index] ?? '').padEnd(width)}  ${summary}`),
    '',
    ...(offered.some(({ needs }) => needs === 'files') ? [FILES] : [SLASHES]),
    ...KEYS,
  )
}

const usageOf = ({ name, argument }: SlashCommand): string =>
  argument === undefined ? `/${name}` : `/${name} ${argument}`

const SLASHES = '//text sends "/text".'
const FILES = `@FILE in a message gives the file along, @"FILE" one with spaces in its name; ${SLASHES}`
const KEYS = [
  'Enter sends. Alt-Enter, Ctrl-J, or \\ before Enter go on in a new line. Tab completes.',
  'Up and Ctrl-R bring back what was sent. Ctrl-_ undoes, Ctrl-Y puts back what was cut.',
  'Ctrl-G opens your editor, Ctrl-L clears the screen, Ctrl-Z suspends.',
  'Ctrl-C stops an answer, and leaves when pressed twice at an empty prompt. So does Ctrl-D once.',
]

async function context({ host }: SlashCall): Promise<SlashResult> {
  const [report, given = []] = await Promise.all([host.context?.(), host.files?.()])
  if (!report) return told()
  const { sessionId, title, agent, model, messages, tools, contextUsed } = report
  return told(
    `session   ${sessionId ?? 'begins with your first message'}`,
    ...(title === undefined ? [] : [`title     ${title}`]),
    `agent     ${agent}`,
    `model     ${model}`,
    `place     ${placeLine(report)}`,
    ...(tools.length === 0 ? [] : [`tools     ${tools.join(', ')}`]),
    `messages  ${messages}`,
    `files     ${given.length === 0 ? 'none' : given.join(', ')}`,
    ...(contextUsed === undefined ? [] : [`context   ${Math.round(contextUsed * 100)} % used`]),
  )
}

async function files({ host }: SlashCall): Promise<SlashResult> {
  const given = (await host.files?.()) ?? []
  return given.length === 0
    ? told('No file was given along yet. Write @ and the path of one in your message.')
    : told(...given)
}

async function cost({ host }: SlashCall): Promise<SlashResult> {
  const lines = costLines((await host.cost?.()) ?? {})
  return lines.length === 0 ? told('Nothing so far.') : told(...lines)
}

async function rename({ argument, host }: SlashCall): Promise<SlashResult> {
  const parsed = SessionTitle.safeParse(argument)
  if (!parsed.success) {
    throw new PlatformError('validation', {
      message: `The title ${parsed.error.issues[0]?.message ?? 'is invalid'}.`,
      mend: 'Write it after the command, as in /title Letters to Oslo.',
    })
  }
  await host.rename?.(parsed.data)
  return told(`This session is called "${parsed.data}" now.`)
}

async function fork({ argument, host }: SlashCall): Promise<SlashResult> {
  const forked = await host.fork?.(argument === '' ? undefined : argument)
  if (!forked) return told()
  const { sessionId, from, agent, model } = forked
  return told(
    `This is a new session now, ${sessionId}, with the same past as ${from}.`,
    `${agent} answers (model ${model}).`,
  )
}

async function cancel({ host }: SlashCall): Promise<SlashResult> {
  return (await host.cancel?.())
    ? told('Asked to stop the answer that was under way.')
    : told('Nothing is being answered. While an answer comes here, Ctrl-C stops it.')
}

async function editMessage({ argument, edit: open }: SlashCall): Promise<SlashResult> {
  const edited = await open?.(argument)
  if (!edited) return told()
  return edited.kind === 'failed'
    ? { kind: 'draft', text: edited.text, told: edited.why }
    : { kind: 'draft', text: edited.text }
}

async function chooseModel({ argument, host }: SlashCall): Promise<SlashResult> {
  if (argument !== '' && host.useModel) {
    const { name, sessionId } = await host.useModel(argument)
    const where = sessionId === undefined ? '' : ` This is a new session, ${sessionId}, with the same past.`
    return told(`${name} answers from now on.${where}`)
  }
  const models = (await host.models?.()) ?? []
  return told(
    ...models.map(
      ({ name, inUse, note }) => `${inUse ? '* ' : '  '}${name}${note === undefined ? '' : `: ${note}`}`,
    ),
    ...(host.useModel ? ['/model NAME goes on with another one.'] : []),
  )
}

async function compact({ host, say }: SlashCall): Promise<SlashResult> {
  say('Earlier messages are being summarised.')
  const report = await host.compact?.()
  return report ? told(shortened(report, 'A summary stands for the others.')) : told()
}

async function trim({ argument, host }: SlashCall): Promise<SlashResult> {
  if (!/^\d{1,6}$/.test(argument)) {
    throw new PlatformError('validation', {
      message: '/trim needs the number of messages to keep.',
      mend: 'As in /trim 20.',
    })
  }
  const report = await host.trim?.(Number(argument))
  return report ? told(shortened(report, 'All of it is still kept and shown.')) : told()
}

async function exportTo({ argument, host }: SlashCall): Promise<SlashResult> {
  const written = await host.export?.(argument === '' ? undefined : argument)
  return written ? told(`Written to ${written.path}.`) : told()
}

function shortened({ messagesBefore, messagesAfter }: ShortenedSession, remark: string): string {
  if (messagesAfter >= messagesBefore) return 'There was nothing to leave out.'
  const now = messagesAfter === 0 ? 'none' : String(messagesAfter)
  return `Of ${messagesBefore} messages the model is given ${now} from now on. ${remark}`
}

async function grants({ host }: SlashCall): Promise<SlashResult> {
  const given = (await host.grants?.()) ?? []
  return given.length === 0
    ? told('Nothing is allowed for the whole session: you are asked each time.')
    : told(...given.map(({ tool, target }) => inOneLine(`${tool} on ${target}`)))
}

const LINES_OF_PAGE = 200

/** A page at a time, so that a screen can be scrolled back to its beginning. */
async function last({ argument, host }: SlashCall): Promise<SlashResult> {
  const page = argument === '' ? 1 : Number(argument)
  if (!Number.isInteger(page) || page < 1) {
    throw new PlatformError('validation', {
      message: '/last takes the number of a page.',
      mend: 'As in /last 2.',
    })
  }
  const result = await host.lastResult?.()
  if (!result) return told('No tool has said anything yet.')
  const lines = result.text.trimEnd().split('\n')
  const pages = Math.ceil(lines.length / LINES_OF_PAGE)
  const shown = lines.slice((page - 1) * LINES_OF_PAGE, page * LINES_OF_PAGE)
  return told(
    inOneLine(`${result.call.tool} ${tellingOf(result.call)}`.trimEnd()),
    ...shown,
    ...(pages > 1 || page > 1 ? [pageNote(page, pages)] : []),
  )
}

function pageNote(page: number, pages: number): string {
  if (page > pages) return pages === 1 ? '[there is 1 page]' : `[there are ${pages} pages]`
  return page === pages
    ? `[page ${page} of ${pages}]`
    : `[page ${page} of ${pages}; /last ${page + 1} goes on]`
}

interface SlashTools {
  readonly host: SlashHost
  readonly edit?: Edit | undefined
  readonly say?: (line: string) => void
}

/** Carries out a command. */
export async function runSlash(text: string, tools: SlashTools): Promise<SlashResult> {
  const [, name = '', argument = ''] = /^\/(\S*)\s*([^]*)$/.exec(text.trimEnd()) ?? []
  const offered = offeredBy(tools)
  const wanted = name.toLowerCase()
  const command = offered.find((each) => each.name === wanted || each.also === wanted)
  return command
    ? command.run({ say: () => undefined, ...tools, argument, offered })
    : told(unknown(name, offered))
}

/** The commands that can be carried out here. */
export const offeredBy = ({ host, edit }: SlashTools): readonly SlashCommand[] =>
  SLASH_COMMANDS.filter(({ needs }) => {
    if (needs === undefined) return true
    return needs === 'edit' ? edit !== undefined : host[needs] !== undefined
  }).map((command) =>
    command.name === 'quit' && host.leaving !== undefined
      ? { ...command, summary: `leave; ${host.leaving}` }
      : command,
  )

function unknown(name: string, offered: readonly SlashCommand[]): string {
  const names = offered.map((each) => each.name)
  const meant = names.find((each) => name !== '' && each.startsWith(name)) ?? nearest(name, names)
  const hint = meant === undefined ? '' : `; did you mean /${meant}?`
  return `There is no command /${name}${hint || '.'} /help lists them. To send a message that starts with a slash, write two: //${name}`
}

/** What can be done at the prompt beside talking. */
const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: 'help', also: '?', summary: 'list these commands and the keys', run: help },
  { name: 'model', argument: '[NAME]', summary: 'list the models, or go on with another one', needs: 'models', run: chooseModel },
  { name: 'context', summary: 'what the agent has before it: session, folder, messages', needs: 'context', run: context },
  { name: 'files', summary: 'list the files that were given along', needs: 'files', run: files },
  { name: 'grants', summary: 'list what you allowed for this session', needs: 'grants', run: grants },
  { name: 'last', argument: '[PAGE]', summary: 'all that the last tool said', needs: 'lastResult', run: last },
  { name: 'cost', summary: 'what this session has cost so far', needs: 'cost', run: cost },
  { name: 'compact', summary: 'put a summary in place of older messages, for the model', needs: 'compact', run: compact },
  { name: 'trim', argument: 'COUNT', summary: 'leave out all but the last messages, for the model', needs: 'trim', run: trim },
  { name: 'title', argument: 'TITLE', summary: 'give this session another title', needs: 'rename', run: rename },
  { name: 'export', argument: '[FILE]', summary: 'write this session to a file', needs: 'export', run: exportTo },
  { name: 'fork', argument: '[AGENT]', summary: 'go on in a new session with the same past', needs: 'fork', run: fork },
  { name: 'edit', argument: '[TEXT]', summary: 'write the next message in your editor', needs: 'edit', run: editMessage },
  { name: 'cancel', summary: 'stop what another terminal is at in this session', needs: 'cancel', run: cancel },
  { name: 'quit', also: 'exit', summary: 'leave; the session is kept', run: async () => ({ kind: 'quit' }) },
] // prettier-ignore
