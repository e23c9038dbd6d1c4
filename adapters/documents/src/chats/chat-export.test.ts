import { describe, expect, test } from 'vitest'
import { extract, extractSegments } from '../testing/extract.ts'

const read = (file: unknown) => extract(JSON.stringify(file), 'export.json')
const messagesOf = (file: unknown) => extractSegments(JSON.stringify(file), 'export.json')

const telegram = {
  name: 'Bob',
  type: 'personal_chat',
  id: 1,
  messages: [
    { id: 1, type: 'service', date: '2021-01-01T10:00:00', actor: 'Bob', text: 'joined' },
    { id: 2, type: 'message', date: '2021-01-01T10:01:00', from: 'Bob', text: 'Hello' },
    {
      id: 3,
      type: 'message',
      date: '2021-01-01T10:02:00',
      from: 'Ada',
      text: ['See ', { type: 'link', text: 'example.test' }, '.'],
    },
    { id: 4, type: 'message', date: 'soon', from: null, text: 'Odd' },
    { id: 5, type: 'message', date: '2021-01-01T10:03:00', from: 'Ada', photo: 'a.jpg', text: '' },
  ],
}

const node = (
  id: string,
  parent: string | null,
  children: readonly string[],
  role: string,
  text: string,
) => ({
  id,
  parent,
  children,
  message: {
    author: { role },
    create_time: 1_600_000_000.5,
    content: { content_type: 'text', parts: [text] },
  },
})

describe('[K4] chat exports', () => {
  test('Telegram: one chat', async () => {
    expect(await read(telegram)).toEqual({
      mediaType: 'application/json',
      title: 'Bob',
      segments: [
        { text: 'Hello', place: { speaker: 'Bob', date: '2021-01-01T10:01:00' } },
        { text: 'See example.test.', place: { speaker: 'Ada', date: '2021-01-01T10:02:00' } },
        { text: 'Odd', place: { speaker: 'Unknown' } },
      ],
    })
  })

  test('Telegram: the author is the speaker, under any name', async () => {
    const names = ['rui', '🦊 Mo', '+49 170 1234567', undefined]
    const messages = names.map((from) => ({ type: 'message', from, text: 'I was born in Lima' }))
    expect((await messagesOf({ messages })).map(({ place }) => place.speaker)).toEqual([
      'rui',
      '🦊 Mo',
      '+49 170 1234567',
      'Unknown',
    ])
  })

  test('Telegram: all chats, each under its name', async () => {
    const [first] = await messagesOf({ about: 'x', chats: { about: 'y', list: [telegram] } })
    expect(first).toMatchObject({ text: 'Hello', place: { speaker: 'Bob', heading: 'Bob' } })
  })

  test('Slack: a day of a channel', async () => {
    const day = [
      {
        type: 'message',
        subtype: 'channel_join',
        user: 'U1',
        text: '<@U1> has joined',
        ts: '1600000000.000100',
      },
      {
        type: 'message',
        user: 'U1',
        user_profile: { real_name: 'Ada' },
        text: 'Hi <@U2> &amp; <@U1>',
        ts: '1600000001.000100',
      },
      {
        type: 'message',
        user: 'U1',
        text: 'See <https://a.test/|this> in <#C1|general>, <!here>',
        ts: '1600000002.000100',
      },
      { type: 'message', user: 'U2', text: 'ok &lt;3', ts: 'never' },
      { type: 'message', subtype: 'bot_message', username: 'robot', text: 'beep', ts: '1600000004' },
    ]
    expect(await messagesOf(day)).toEqual([
      { text: 'Hi @U2 & @Ada', place: { speaker: 'Ada', date: '2020-09-13T12:26:41.000Z' } },
      { text: 'See this in #general, @here', place: { speaker: 'Ada', date: '2020-09-13T12:26:42.000Z' } },
      { text: 'ok <3', place: { speaker: 'U2' } },
      { text: 'beep', place: { speaker: 'robot', date: '2020-09-13T12:26:44.000Z' } },
    ])
  })

  test('ChatGPT: the answers that the person kept, in order', async () => {
    const mapping = {
      c2: node('c2', 'b', [], 'assistant', 'Kept.'),
      c1: node('c1', 'b', [], 'assistant', 'Made again.'),
      b: node('b', 'a', ['c1', 'c2'], 'user', 'Who am I?'),
      a: node('a', null, ['b'], 'system', 'Secret orders.'),
    }
    const date = '2020-09-13T12:26:40.000Z'
    expect(await messagesOf([{ title: 'Me', mapping, current_node: 'c2' }])).toEqual([
      { text: 'Who am I?', place: { speaker: 'Person', date, heading: 'Me' } },
      { text: 'Kept.', place: { speaker: 'ChatGPT', date, heading: 'Me' } },
    ])
    expect(await messagesOf([{ title: 'Me', mapping }])).toMatchObject([{}, { text: 'Made again.' }])
  })

  test('Claude', async () => {
    const conversation = {
      uuid: '1',
      name: 'Me',
      chat_messages: [
        { sender: 'human', text: 'Who am I?', created_at: '2024-01-01T10:00:00.123456Z' },
        {
          sender: 'assistant',
          text: '',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'You.' },
          ],
          created_at: '2024-01-01T10:00:01Z',
        },
      ],
    }
    expect(await messagesOf([conversation])).toEqual([
      { text: 'Who am I?', place: { speaker: 'Person', date: '2024-01-01T10:00:00.123456Z', heading: 'Me' } },
      { text: 'You.', place: { speaker: 'Claude', date: '2024-01-01T10:00:01Z', heading: 'Me' } },
    ])
  })

  test('a session of our own', async () => {
    const transcript = [
      { role: 'user', text: 'I live in Bath.', at: '2026-01-02T03:04:05.678Z' },
      { role: 'assistant', text: 'Noted.', at: '2026-01-02T03:04:06.678Z' },
      { role: 'tool', text: 'not said', at: '2026-01-02T03:04:07.678Z' },
    ]
    expect(await messagesOf(transcript)).toEqual([
      { text: 'I live in Bath.', place: { speaker: 'Person', date: '2026-01-02T03:04:05.678Z' } },
      { text: 'Noted.', place: { speaker: 'Agent', date: '2026-01-02T03:04:06.678Z' } },
    ])
  })

  test.each([
    ['JSON of another kind', '{"a":1}', /not a supported chat export/],
    ['JSON that is cut off', '[{"type":"message"', /not complete JSON/],
    ['a chat without text', JSON.stringify({ ...telegram, messages: [] }), /no messages with text/],
    ['a single word', 'null', /not a supported chat export/],
    ['depth', '['.repeat(5_000_000), /not complete JSON/],
    [
      'depth that is whole',
      `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`,
      /not a supported chat export/,
    ],
    [
      'depth within a message',
      `[{"type":"message","ts":"1","text":${'['.repeat(200_000)}${']'.repeat(200_000)}}]`,
      /no messages/,
    ],
  ])('[K4] attack: %s', async (_, text, why) => {
    expect(await extract(text, 'a.json')).toEqual({ kind: 'unreadable', why: expect.stringMatching(why) })
  })

  test.each(['__proto__', 'constructor', 'toString'])('[K4] attack: %s as a name', async (name) => {
    const chat = `[{"title":"a","current_node":"${name}","mapping":{"${name}":{"parent":"hasOwnProperty","message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["hi"]}}}}}]`
    expect(await extractSegments(chat, 'a.json')).toEqual([
      { text: 'hi', place: { speaker: 'Person', heading: 'a' } },
    ])
    expect(await messagesOf([{ type: 'message', user: name, text: `hi <@${name}>`, ts: 1 }])).toMatchObject([
      { text: `hi @${name}`, place: { speaker: name } },
    ])
    expect(await extract(`{"${name}":{"messages":[]}}`, 'a.json')).toMatchObject({ kind: 'unreadable' })
  })

  test('[K4] attack: messages that are parents of each other', async () => {
    const mapping = { a: node('a', 'b', ['b'], 'user', 'one'), b: node('b', 'a', ['a'], 'user', 'two') }
    expect(await messagesOf([{ mapping, current_node: 'a' }])).toMatchObject([
      { text: 'two' },
      { text: 'one' },
    ])
  })

  test('[K4] attack: lone surrogates and zeros as escapes', async () => {
    const chat = String.raw`{"messages":[{"type":"message","from":"A\u0000da","text":"a\ud800b\u0000c\u202e"}]}`
    expect(await extractSegments(chat, 'a.json')).toEqual([{ text: 'a\ufffdbc', place: { speaker: 'Ada' } }])
  })

  test('[K4] a line separator within a message does not break the JSON', async () => {
    expect(await messagesOf({ messages: [{ type: 'message', text: 'a\u2028b' }] })).toMatchObject([
      { text: 'a\nb' },
    ])
  })
})
