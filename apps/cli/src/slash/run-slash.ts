import { PlatformError, type ShortenedSession, findNearest } from '@parley/contracts'
import type { EditText } from '../prompt/prompt.ts'
import { toSingleLine } from '../render/text.ts'
import { listCostLines, formatAgentAccess } from '../render/session-lines.ts'
import { summarizeCall } from '../render/tool-lines.ts'
import { SessionTitle } from '../session/find-session.ts'
import {
  type SlashCall,
  type SlashCommand,
  type SlashHost,
  type SlashResult,
  createReply,
} from './slash-host.ts'

async function showHelp({ offered }: SlashCall): Promise<SlashResult> {
  const names = offered.map(formatSlashUsage)
  const width = Math.max(...names.map((name) => name.length))
  return createReply(
    ...offered.map(({ summary }, index) => `${(names[index] ?? '').padEnd(width)}  ${summary}`),
    '',
    ...(offered.some(({ needs }) => needs === 'files') ? [PROMPT_FILES] : [SLASH_HINT]),
    ...PROMPT_KEYS,
  )
}

export const formatSlashUsage = ({ name, argument }: SlashCommand): string =>
  argument === undefined ? `/${name}` : `/${name} ${argument}`

const SLASH_HINT = '//text sends "/text".'
/** Shown by /help and in `docs/cli.md`, like the keys below. */
export const PROMPT_FILES = `@FILE in a message attaches a file, @"FILE" one with spaces in its name; ${SLASH_HINT}`
export const PROMPT_KEYS = [
  'Enter sends. Alt-Enter, Ctrl-J, or \\ before Enter start a new line. Tab completes.',
  'Up and Ctrl-R bring back sent messages. Ctrl-_ undoes, Ctrl-Y pastes cut text.',
  'Ctrl-G opens your editor, Ctrl-L clears the screen, Ctrl-Z suspends.',
  'Ctrl-C stops an answer; pressed twice at an empty prompt, it quits. So does Ctrl-D.',
]

async function showContext({ host }: SlashCall): Promise<SlashResult> {
  const [report, attached = []] = await Promise.all([host.context?.(), host.files?.()])
  if (!report) return createReply()
  const { sessionId, title, agent, model, messages, tools, contextUsed } = report
  return createReply(
    `session   ${sessionId ?? 'starts with your first message'}`,
    ...(title === undefined ? [] : [`title     ${title}`]),
    `agent     ${agent}`,
    `model     ${model}`,
    `folder    ${formatAgentAccess(report)}`,
    ...(tools.length === 0 ? [] : [`tools     ${tools.join(', ')}`]),
    `messages  ${messages}`,
    `files     ${attached.length === 0 ? 'none' : attached.join(', ')}`,
    ...(contextUsed === undefined ? [] : [`context   ${Math.round(contextUsed * 100)} % used`]),
  )
}

async function listFiles({ host }: SlashCall): Promise<SlashResult> {
  const attached = (await host.files?.()) ?? []
  return attached.length === 0
    ? createReply('No files attached yet. Write @ and a path in your message.')
    : createReply(...attached)
}

async function showCost({ host }: SlashCall): Promise<SlashResult> {
  const lines = listCostLines((await host.cost?.()) ?? {})
  return createReply(...(lines.length === 0 ? ['No cost yet.'] : lines))
}

async function renameSession({ argument, host }: SlashCall): Promise<SlashResult> {
  const parsed = SessionTitle.safeParse(argument)
  if (!parsed.success) {
    throw new PlatformError('validation', {
      message: `The title ${parsed.error.issues[0]?.message ?? 'is invalid'}.`,
      fix: 'Write it after the command, as in /title Letters to Oslo.',
    })
  }
  await host.rename?.(parsed.data)
  return createReply(`The title is now "${parsed.data}".`)
}

async function forkSession({ argument, host }: SlashCall): Promise<SlashResult> {
  const forked = await host.fork?.(argument === '' ? undefined : argument)
  if (!forked) return createReply()
  const { sessionId, from, agent, model } = forked
  return createReply(
    `This is now a new session, ${sessionId}, with the same past as ${from}.`,
    `Using ${agent} (model ${model}).`,
  )
}

async function cancelAnswer({ host }: SlashCall): Promise<SlashResult> {
  return (await host.cancel?.())
    ? createReply('Stopping the running answer.')
    : createReply('No answer is running. Ctrl-C stops one in this terminal.')
}

async function editMessage({ argument, edit: open }: SlashCall): Promise<SlashResult> {
  const edited = await open?.(argument)
  if (!edited) return createReply()
  return edited.kind === 'failed'
    ? { kind: 'draft', text: edited.text, notice: edited.reason }
    : { kind: 'draft', text: edited.text }
}

async function chooseModel({ argument, host }: SlashCall): Promise<SlashResult> {
  if (argument !== '' && host.useModel) {
    const { name, sessionId } = await host.useModel(argument)
    const where = sessionId === undefined ? '' : ` This is a new session, ${sessionId}, with the same past.`
    return createReply(`Using ${name}.${where}`)
  }
  const models = (await host.models?.()) ?? []
  return createReply(
    ...models.map(
      ({ name, inUse, note }) => `${inUse ? '* ' : '  '}${name}${note === undefined ? '' : `: ${note}`}`,
    ),
    ...(host.useModel ? ['/model NAME switches to another one.'] : []),
  )
}

async function compactMessages({ host, print }: SlashCall): Promise<SlashResult> {
  print('Summarising earlier messages.')
  const report = await host.compact?.()
  return report ? createReply(describeShortened(report, 'A summary replaces the others.')) : createReply()
}

async function trimMessages({ argument, host }: SlashCall): Promise<SlashResult> {
  if (!/^\d{1,6}$/.test(argument)) {
    throw new PlatformError('validation', {
      message: '/trim needs the number of messages to send.',
      fix: 'As in /trim 20.',
    })
  }
  const report = await host.trim?.(Number(argument))
  return report
    ? createReply(describeShortened(report, 'Everything stays saved and visible.'))
    : createReply()
}

async function exportSession({ argument, host }: SlashCall): Promise<SlashResult> {
  const written = await host.export?.(argument === '' ? undefined : argument)
  return written ? createReply(`Written to ${written.path}.`) : createReply()
}

function describeShortened({ messagesBefore, messagesAfter }: ShortenedSession, remark: string): string {
  if (messagesAfter >= messagesBefore) return 'There was nothing to trim.'
  const now = messagesAfter === 0 ? 'none' : String(messagesAfter)
  return `The model now gets ${now} of ${messagesBefore} messages. ${remark}`
}

async function listGrants({ host }: SlashCall): Promise<SlashResult> {
  const granted = (await host.grants?.()) ?? []
  return granted.length === 0
    ? createReply('Nothing is approved for the whole session: you are asked each time.')
    : createReply(...granted.map(({ tool, target }) => toSingleLine(`${tool} on ${target}`)))
}

const PAGE_LINES = 200

/** One page at a time, to fit the scrollback. */
async function showLastResult({ argument, host }: SlashCall): Promise<SlashResult> {
  const page = argument === '' ? 1 : Number(argument)
  if (!Number.isInteger(page) || page < 1) {
    throw new PlatformError('validation', {
      message: '/last needs a page number.',
      fix: 'As in /last 2.',
    })
  }
  const result = await host.lastResult?.()
  if (!result) return createReply('No tool has run yet.')
  const lines = result.text.trimEnd().split('\n')
  const pages = Math.ceil(lines.length / PAGE_LINES)
  const shown = lines.slice((page - 1) * PAGE_LINES, page * PAGE_LINES)
  return createReply(
    toSingleLine(`${result.call.tool} ${summarizeCall(result.call)}`.trimEnd()),
    ...shown,
    ...(pages > 1 || page > 1 ? [formatPageNote(page, pages)] : []),
  )
}

function formatPageNote(page: number, pages: number): string {
  if (page > pages) return pages === 1 ? '[there is 1 page]' : `[there are ${pages} pages]`
  return page === pages ? `[page ${page} of ${pages}]` : `[page ${page} of ${pages}; next: /last ${page + 1}]`
}

interface SlashTools {
  readonly host: SlashHost
  readonly edit?: EditText | undefined
  readonly print?: (line: string) => void
}

export async function runSlash(text: string, tools: SlashTools): Promise<SlashResult> {
  const [, name = '', argument = ''] = /^\/(\S*)\s*([^]*)$/.exec(text.trimEnd()) ?? []
  const offered = listOffered(tools)
  const key = name.toLowerCase()
  const command = offered.find((each) => each.name === key || each.also === key)
  return command
    ? command.run({ print: () => undefined, ...tools, argument, offered })
    : createReply(describeUnknown(name, offered))
}

export const listOffered = ({ host, edit }: SlashTools): readonly SlashCommand[] =>
  SLASH_COMMANDS.filter(({ needs }) => {
    if (needs === undefined) return true
    return needs === 'edit' ? edit !== undefined : host[needs] !== undefined
  }).map((command) =>
    command.name === 'quit' && host.leaving !== undefined
      ? { ...command, summary: `quit; ${host.leaving}` }
      : command,
  )

function describeUnknown(name: string, offered: readonly SlashCommand[]): string {
  const names = offered.map((each) => each.name)
  const similar = names.find((each) => name !== '' && each.startsWith(name)) ?? findNearest(name, names)
  const hint = similar === undefined ? '.' : `; did you mean /${similar}?`
  return `There is no command /${name}${hint} /help lists them. To send a message that starts with a slash, write two: //${name}`
}

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: 'help', also: '?', summary: 'list these commands and the keys', run: showHelp },
  { name: 'model', argument: '[NAME]', summary: 'list models, or switch to another one', needs: 'models', run: chooseModel },
  { name: 'context', summary: 'what the agent can see: session, folder, messages', needs: 'context', run: showContext },
  { name: 'files', summary: 'list the attached files', needs: 'files', run: listFiles },
  { name: 'grants', summary: 'list your approvals for this session', needs: 'grants', run: listGrants },
  { name: 'last', argument: '[PAGE]', summary: 'full output of the last tool', needs: 'lastResult', run: showLastResult },
  { name: 'cost', summary: 'cost of this session', needs: 'cost', run: showCost },
  { name: 'compact', summary: 'send the model a summary of older messages', needs: 'compact', run: compactMessages },
  { name: 'trim', argument: 'COUNT', summary: 'send only the last COUNT messages', needs: 'trim', run: trimMessages },
  { name: 'title', argument: 'TITLE', summary: 'rename this session', needs: 'rename', run: renameSession },
  { name: 'export', argument: '[FILE]', summary: 'export this session to a file', needs: 'export', run: exportSession },
  { name: 'fork', argument: '[AGENT]', summary: 'copy this session into a new one', needs: 'fork', run: forkSession },
  { name: 'edit', argument: '[TEXT]', summary: 'write the next message in your editor', needs: 'edit', run: editMessage },
  { name: 'cancel', summary: 'stop the answer running in another terminal', needs: 'cancel', run: cancelAnswer },
  { name: 'quit', also: 'exit', summary: 'quit; the session is saved', run: async () => ({ kind: 'quit' }) },
] // prettier-ignore
