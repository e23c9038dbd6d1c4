import type { Json } from '@parley/contracts'
import type { ToolDeclaration } from '@parley/engine'
import { expect, test } from 'vitest'
import { chooseTool } from './choose-tool.ts'

const tool = (
  name: string,
  description: string,
  properties: Record<string, Json> = {},
  required = Object.keys(properties),
): ToolDeclaration => ({ name, description, inputSchema: { type: 'object', properties, required } })

const TEXT = { type: 'string' }
const TOOLS = [
  tool('get_weather', 'Gets the current weather of a city.', { city: TEXT }),
  tool('order_status', 'Says where an order is.', { order_id: TEXT }),
  tool('book_table', 'Books a table for some guests.', { guests: { type: 'integer' } }),
  tool('check_stock', 'Counts what is in stock.', { kind: { type: 'string', enum: ['bread', 'cake'] } }),
  tool('open_door', 'Opens the front door.'),
  tool('send_letter', 'Sends a letter to someone.', { to: TEXT, body: TEXT }),
  tool('end_call', 'Ends the call.', { reason: TEXT }, []),
]

test.each<[question: string, expected: { name: string; input: Json } | undefined]>([
  ['What is the weather like in Oslo today?', { name: 'get_weather', input: { city: 'Oslo' } }],
  ['how is the weather in new york', { name: 'get_weather', input: { city: 'new york' } }],
  ['Where is my order A-1042?', undefined],
  ['What is the status of my order A-1042?', { name: 'order_status', input: { order_id: 'A-1042' } }],
  ['I would like to book a table for four.', { name: 'book_table', input: { guests: 4 } }],
  ['Book a table for 6', { name: 'book_table', input: { guests: 6 } }],
  ['Book a table, please.', undefined],
  ['Is any bread in stock?', { name: 'check_stock', input: { kind: 'bread' } }],
  ['Is any tea in stock?', undefined],
  ['Can you open the door?', { name: 'open_door', input: {} }],
  ['Please do not open the door.', undefined],
  ['The door was open when I came.', undefined],
  ['Can you send a letter to Ada?', undefined],
  ['What ends a call?', undefined],
  ['When was the pear tree planted?', undefined],
])('[X2] %s', (question, expected) => {
  expect(chooseTool(question, TOOLS)).toEqual(expected)
})
