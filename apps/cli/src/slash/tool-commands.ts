import { PlatformError } from '@parley/contracts'
import { inOneLine } from '../render/neutralise.ts'
import { tellingOf } from '../render/telling-of.ts'
import { type SlashCall, type SlashResult, told } from './slash-command.ts'

export async function grants({ host }: SlashCall): Promise<SlashResult> {
  const given = (await host.grants?.()) ?? []
  return given.length === 0
    ? told('Nothing is allowed for the whole session: you are asked each time.')
    : told(...given.map(({ tool, target }) => inOneLine(`${tool} on ${target}`)))
}

const LINES_OF_PAGE = 200

/** A page at a time, so that a screen can be scrolled back to its beginning. */
export async function last({ argument, host }: SlashCall): Promise<SlashResult> {
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
