import { GoogleGenAI } from '@google/genai';

const GEMINI_BASE_URL = 'https://generativelanguage.googleapis.com';

/** Splits the API version off an address, since the client would append another one. */
function splitVersion(baseUrl: string): { baseUrl: string; apiVersion: string } {
  const match = /^(.*?)\/(v\d+(?:(?:alpha|beta)\d*)?)\/*$/.exec(baseUrl);
  return { baseUrl: match?.[1] ?? baseUrl, apiVersion: match?.[2] ?? 'v1beta' };
}

/** Project of Google Cloud, and where its models are asked, such as `global` or `europe-west4`. */
export interface CloudProject {
  project: string;
  location: string;
}

/**
 * Creates a client of Vertex AI, with the credentials that Google's library finds: a file, a signed-in user, a role of the
 * machine.
 */
export function vertexClient(cloud: CloudProject, address: string | undefined): GoogleGenAI {
  const { debug } = console;
  // The client prints that it does not use a key that it found in the environment.
  console.debug = () => undefined;
  try {
    return new GoogleGenAI({
      vertexai: true,
      ...cloud,
      ...(address !== undefined && { httpOptions: { baseUrl: splitVersion(address).baseUrl } }),
    });
  } finally {
    console.debug = debug;
  }
}

/** Creates a client that does not retry and reads nothing from the process's environment. */
export function geminiClient(apiKey: string, address: string | undefined): GoogleGenAI {
  const { baseUrl, apiVersion } = splitVersion(address ?? GEMINI_BASE_URL);
  // Every option is given, because the client reads missing ones from the process's environment, Vertex AI included.
  return new GoogleGenAI({ vertexai: false, apiKey, apiVersion, httpOptions: { baseUrl } });
}
