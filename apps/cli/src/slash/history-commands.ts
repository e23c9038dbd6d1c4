import { PlatformError, type ShortenedSession } from '@parley/contracts'
import { type SlashCall, type SlashResult, told } from './slash-command.ts'

export async function model({ argument, host }: SlashCall): Promise<SlashResult> {
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

export async function compact({ host, say }: SlashCall): Promise<SlashResult> {
  say('Earlier messages are being summarised.')
  const report = await host.compact?.()
  return report ? told(shortened(report, 'A summary stands for the others.')) : told()
}

export async function trim({ argument, host }: SlashCall): Promise<SlashResult> {
  if (!/^\d{1,6}$/.test(argument)) {
    throw new PlatformError('validation', {
      message: '/trim needs the number of messages to keep.',
      mend: 'As in /trim 20.',
    })
  }
  const report = await host.trim?.(Number(argument))
  return report ? told(shortened(report, 'All of it is still kept and shown.')) : told()
}

export async function exportTo({ argument, host }: SlashCall): Promise<SlashResult> {
  const written = await host.export?.(argument === '' ? undefined : argument)
  return written ? told(`Written to ${written.path}.`) : told()
}

function shortened({ messagesBefore, messagesAfter }: ShortenedSession, remark: string): string {
  if (messagesAfter >= messagesBefore) return 'There was nothing to leave out.'
  const now = messagesAfter === 0 ? 'none' : String(messagesAfter)
  return `Of ${messagesBefore} messages the model is given ${now} from now on. ${remark}`
}
