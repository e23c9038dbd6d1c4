import type { SourceToAdd } from '@parley/api-client'
import type { SourceId } from '@parley/contracts'
import { expect, test, vi } from 'vitest'
import { createUploadQueue } from './uploads.ts'

const note = (title: string): SourceToAdd => ({ title, namespace: 'general', text: title })

function openQueue() {
  const begun: PromiseWithResolvers<{ id: SourceId }>[] = []
  const queue = createUploadQueue({
    send: () => {
      const sending = Promise.withResolvers<{ id: SourceId }>()
      begun.push(sending)
      return sending.promise
    },
    onSent: async () => undefined,
  })
  const shown = () => queue.state().items.map(({ source, state }) => `${source.title} ${state}`)
  const isBegun = (count: number) => vi.waitUntil(() => begun.length === count)
  return { queue, begun, shown, isBegun }
}

test('[K4] sources are uploaded one at a time, and stay visible until they are listed', async () => {
  const { queue, begun, shown, isBegun } = openQueue()
  queue.add(note('First'))
  queue.add(note('Second'))
  await isBegun(1)
  expect(shown()).toEqual(['First sending', 'Second sending'])
  begun[0]?.resolve({ id: 'src_1' as SourceId })
  await isBegun(2)
  expect(shown()).toEqual(['Second sending'])
  expect(queue.state().sent.get('src_1' as SourceId)).toEqual(note('First'))
})

test('a failed upload delays no other, and is shown until it is dismissed', async () => {
  const { queue, begun, shown, isBegun } = openQueue()
  queue.add(note('First'))
  queue.add(note('Second'))
  queue.refuse(note('Third'), 'too long')
  await isBegun(1)
  begun[0]?.reject(new Error('made up'))
  await isBegun(2)
  expect(shown()).toEqual(['First failed', 'Second sending', 'Third refused'])
  for (const upload of queue.state().items.filter(({ state }) => state !== 'sending')) queue.dismiss(upload)
  expect(shown()).toEqual(['Second sending'])
})
