import { PlatformError } from '@parley/contracts'
import { openHistory } from '../index.ts'
import { noKeychain } from './keychains.ts'
import type { StoreAnswer, StoreCall } from './store-process.ts'

const [, , home = '', key = ''] = process.argv
const opened = openHistory({ home, key, keychain: noKeychain })

process.on('message', (call: StoreCall) => void answerCall(call).then((answer) => process.send?.(answer)))

async function answerCall({ id, method, values }: StoreCall): Promise<StoreAnswer> {
  try {
    const { store } = await opened
    const result = await Reflect.apply(store[method], store, values)
    return { id, kind: 'done', result }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return { id, kind: 'failed', code: error.code, detail: error.detail }
  }
}
