import { Reflection, Source } from '@parley/contracts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ConsoleServer, openConsole } from '../support/console-server.ts'

const PATIENCE = { timeout: 60_000 }

let server: ConsoleServer
let at: string
beforeAll(async () => {
  server = await openConsole()
  const { id } = Reflection.parse(await server.call('POST', '/reflections', { displayName: 'Ada Winter' }))
  const { id: sourceId } = Source.parse(
    await server.call('POST', `/reflections/${id}/sources`, {
      title: 'Years',
      namespace: 'general',
      text: YEARS,
    }),
  )
  const readSource = async () =>
    Source.parse(await server.call('GET', `/reflections/${id}/sources/${sourceId}`))
  await vi.waitUntil(async () => (await readSource()).state === 'completed', PATIENCE)
  at = `/reflections/${id}/sources/${sourceId}`
})
afterAll(() => server?.close())

/** Long and short entries alternate, so the estimated row heights are wrong. */
const YEARS = Array.from({ length: 60 }, (_, index) => {
  const year = 1930 + index
  const sentence = 'The boats came late and the nets were poor. '.repeat(1 + ((index * 7) % 23))
  return `# ${year}\n\n${sentence}In ${year} I painted house number ${index} white. ${sentence}\n- One line.\n- Another line.`
}).join('\n\n')

test.each([
  ['a desk', { width: 1280, height: 800 }],
  ['a phone', { width: 390, height: 844 }],
])('[K5] on %s a source opens at the quoted words, and stays free to scroll', async (_, viewport) => {
  const { url, token } = server.ready
  const page = await (await server.newContext({ viewport })).newPage()
  await page.goto(`${url}${at}#token=${token}`)
  await page.getByRole('list', { name: 'Text of Years' }).waitFor()
  for (const index of [0, 7, 19, 33, 41, 58, 59]) {
    const words = `In ${1930 + index} I painted house number ${index} white.`
    await page.goto(`${url}${at}?start=${encodeURIComponent(words)}`)
    await page.locator('mark').getByText(words).waitFor()
    expect({ index, ...(await markPosition(page)) }).toEqual({ index, isInSight: true, isMiddle: true })
  }

  await page.mouse.move(viewport.width / 2, viewport.height / 2)
  await page.mouse.wheel(0, -1_500)
  await expect.poll(async () => (await markPosition(page)).isInSight, PATIENCE).toBe(false)
  await page.setViewportSize({ ...viewport, width: viewport.width - 40 })
  expect(await markPosition(page)).toMatchObject({ isInSight: false })
})

/** The position of the mark once the page is still. At the ends of the text it cannot be in the middle. */
const markPosition = async (page: Page) => {
  await page.waitForLoadState('networkidle')
  return page.evaluate<{ isInSight: boolean; isMiddle: boolean }>(`new Promise((settle) => {
    const page = document.querySelector('main [data-scrolls], [data-scrolls]')
    const isEnd = () => page.scrollTop < 1 || page.scrollTop + page.clientHeight > page.scrollHeight - 1
    const read = () => {
      const mark = document.querySelector('mark')?.getBoundingClientRect()
      const box = page.getBoundingClientRect()
      if (!mark) return { isInSight: false, isMiddle: false }
      const off = (mark.top + mark.bottom - box.top - box.bottom) / 2
      return { isInSight: mark.top >= box.top && mark.bottom <= box.bottom, isMiddle: isEnd() || Math.abs(off) < 2 }
    }
    let [before, still] = [-1, 0]
    const frame = () => {
      still = page.scrollTop === before ? still + 1 : 0
      before = page.scrollTop
      if (still < 20) requestAnimationFrame(frame)
      else settle(read())
    }
    frame()
  })`)
}
