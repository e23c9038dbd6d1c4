import { describe, expect, test } from 'vitest'
import { extractInSharedThread, extractSegments, extractSegmentsInSharedThread } from '../testing/extract.ts'
import { createZip } from '../testing/create-zip.ts'

const CHAT = '3/12/23, 9:14 PM - Kurt: I was born in Lima\n3/13/23, 9:15 PM - Nina: nice'
const SAID = [
  { text: 'I was born in Lima', place: { speaker: 'Kurt', date: '2023-03-12T21:14' } },
  { text: 'nice', place: { speaker: 'Nina', date: '2023-03-13T21:15' } },
]
const message = (user: string, text: string) => ({ type: 'message', user, text, ts: '1600000000' })
const conversations = JSON.stringify([
  { name: 'Me', chat_messages: [{ sender: 'human', text: 'Who am I?' }] },
])

describe('[K4] chats in an archive', () => {
  test.each(['_chat.txt', 'WhatsApp Chat with Kurt.txt'])('WhatsApp: %s, beside its media', async (name) => {
    const archive = createZip([
      { name: 'IMG-1.jpg', data: Buffer.alloc(2_000, 7) },
      { name, data: CHAT },
    ])
    expect(await extractSegments(archive, 'WhatsApp Chat.zip')).toEqual(SAID)
  })

  test('ChatGPT and Claude: conversations.json', async () => {
    const archive = createZip([
      { name: 'users.json', data: '[]' },
      { name: 'data/conversations.json', data: conversations },
    ])
    expect(await extractSegmentsInSharedThread(archive, 'data.zip')).toEqual([
      { text: 'Who am I?', place: { speaker: 'Person', heading: 'Me' } },
    ])
  })

  test('Slack: all days of all channels, with the names of the people', async () => {
    const archive = createZip([
      { name: 'channels.json', data: '[]' },
      {
        name: 'users.json',
        data: JSON.stringify([{ id: 'U1', profile: { real_name: 'Ada' } }, { id: 'U2' }]),
      },
      { name: 'tides/2020-09-14.json', data: '[{' },
      { name: 'tides/2020-09-15.json', data: JSON.stringify([message('U2', 'later')]) },
      { name: 'tides/2020-09-13.json', data: JSON.stringify([message('U1', 'Hi <@U1>')]) },
      { name: 'tides/note.txt', data: 'no message' },
    ])
    const date = '2020-09-13T12:26:40.000Z'
    expect(await extractSegmentsInSharedThread(archive, 'slack.zip')).toEqual([
      { text: 'Hi @Ada', place: { speaker: 'Ada', date, heading: 'tides' } },
      { text: 'later', place: { speaker: 'U2', date, heading: 'tides' } },
    ])
  })

  test.each([
    [
      'two chats',
      [
        { name: '_chat.txt', data: CHAT },
        { name: 'WhatsApp Chat.txt', data: CHAT },
      ],
      /unpack it/,
    ],
    ['a text that is not a chat', [{ name: '_chat.txt', data: 'Dear Ada' }], /no chat in the archive/],
    ['other texts', [{ name: 'a.txt', data: CHAT }], /unpack it/],
    ['people and no channels', [{ name: 'users.json', data: '[]' }], /unpack it/],
    ['a password', [{ name: '_chat.txt', data: CHAT, flags: 1 }], /password/],
    ['a false size', [{ name: '_chat.txt', data: CHAT, claimedSize: 3 }], /broken/],
    ['[K4] attack: a bomb', [{ name: '_chat.txt', data: Buffer.alloc(60_000_000, ' ') }], /far more/],
  ])('%s: unreadable, with a reason', async (_, files, why) => {
    expect(await extractInSharedThread(createZip(files), 'a.zip')).toEqual({
      kind: 'unreadable',
      why: expect.stringMatching(why),
    })
  })
})
