import { GoogleGenAI } from '@google/genai';

const GEMINI_BASE_URL = 'https://generativelanguage.googleapis.com';

/** Takes the API version off the end of an address, where the client would put another one behind it. */
function splitVersion(baseUrl: string): { baseUrl: string; apiVersion: string } {
  const match = /^(.*?)\/(v\d+(?:(?:alpha|beta)\d*)?)\/*$/.exec(baseUrl);
  return { baseUrl: match?.[1] ?? baseUrl, apiVersion: match?.[2] ?? 'v1beta' };
}

/** A client that reads nothing from the process's environment. It does not retry by itself. */
export function geminiClient(apiKey: string, address: string | undefined): GoogleGenAI {
  const { baseUrl, apiVersion } = splitVersion(address ?? GEMINI_BASE_URL);
  // Everything is given: what is left out, the client reads from the process's environment, Vertex AI included.
  return new GoogleGenAI({ vertexai: false, apiKey, apiVersion, httpOptions: { baseUrl } });
}
