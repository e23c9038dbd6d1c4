import { PlatformError } from '@parley/contracts'
import { costLines } from '../render/cost-lines.ts'
import { placeLine } from '../render/place-line.ts'
import { SessionTitle } from '../session/session-title.ts'
import { type SlashCall, type SlashCommand, type SlashResult, told } from './slash-command.ts'

export async function help({ offered }: SlashCall): Promise<SlashResult> {
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

export async function context({ host }: SlashCall): Promise<SlashResult> {
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

export async function files({ host }: SlashCall): Promise<SlashResult> {
  const given = (await host.files?.()) ?? []
  return given.length === 0
    ? told('No file was given along yet. Write @ and the path of one in your message.')
    : told(...given)
}

export async function cost({ host }: SlashCall): Promise<SlashResult> {
  const lines = costLines((await host.cost?.()) ?? {})
  return lines.length === 0 ? told('Nothing so far.') : told(...lines)
}

export async function rename({ argument, host }: SlashCall): Promise<SlashResult> {
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

export async function fork({ argument, host }: SlashCall): Promise<SlashResult> {
  const forked = await host.fork?.(argument === '' ? undefined : argument)
  if (!forked) return told()
  const { sessionId, from, agent, model } = forked
  return told(
    `This is a new session now, ${sessionId}, with the same past as ${from}.`,
    `${agent} answers (model ${model}).`,
  )
}

export async function cancel({ host }: SlashCall): Promise<SlashResult> {
  return (await host.cancel?.())
    ? told('Asked to stop the answer that was under way.')
    : told('Nothing is being answered. While an answer comes here, Ctrl-C stops it.')
}

export async function edit({ argument, edit: open }: SlashCall): Promise<SlashResult> {
  const edited = await open?.(argument)
  if (!edited) return told()
  return edited.kind === 'failed'
    ? { kind: 'draft', text: edited.text, told: edited.why }
    : { kind: 'draft', text: edited.text }
}
