import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

// oxlint-disable-next-line import/no-default-export -- vite reads its configuration from the default export
export default defineConfig({
  plugins: [react(), tailwindcss(), worklets()],
  resolve: {
    // Calls use a WebSocket. The WebRTC library would double the scripts of a talk.
    alias: { 'livekit-client': fileURLToPath(new URL('src/talk/call/livekit-stub.ts', import.meta.url)) },
  },
  build: {
    // The page's policy allows nothing inline, not even data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { host: '127.0.0.1', proxy: { '/v1': 'http://127.0.0.1:4400' } },
})

/** Copies the audio worklets. The vendor's client would create them from text, which the page's policy forbids. */
function worklets(): Plugin {
  const { resolve } = createRequire(import.meta.url)
  return {
    name: 'worklets',
    generateBundle() {
      for (const name of ['rawAudioProcessor.js', 'audioConcatProcessor.js']) {
        const source = readFileSync(resolve(`@elevenlabs/client/worklets/${name}`), 'utf8')
        this.emitFile({ type: 'asset', fileName: `worklets/${name}`, source })
      }
    },
  }
}
