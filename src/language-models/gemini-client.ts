import { GoogleGenAI } from '@google/genai';

const GEMINI_BASE_URL = 'https://generativelanguage.googleapis.com';

/** Splits the API version off an address, since the client would append another one. */
function splitVersion(baseUrl: string): { baseUrl: string; apiVersion: string } {
  const match = /^(.*?)\/(v\d+(?:(?:alpha|beta)\d*)?)\/*$/.exec(baseUrl);
  return { baseUrl: match?.[1] ?? baseUrl, apiVersion: match?.[2] ?? 'v1beta' };
}

/** Creates a client that does not retry and reads nothing from the process's environment. */
export function geminiClient(apiKey: string, address: string | undefined): GoogleGenAI {
  const { baseUrl, apiVersion } = splitVersion(address ?? GEMINI_BASE_URL);
  // Every option is given, because the client reads missing ones from the process's environment, Vertex AI included.
  return new GoogleGenAI({ vertexai: false, apiKey, apiVersion, httpOptions: { baseUrl } });
}
