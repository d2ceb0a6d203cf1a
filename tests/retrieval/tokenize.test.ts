import { describe, expect, it } from 'vitest';
import { tokenize } from '../../src/retrieval/lexical-index.js';

describe('the terms of a text', () => {
  it.each([
    ['words in lower case', 'Find the Remainder.', ['find', 'the', 'remainder']],
    ['numbers whole', 'Pay 1,250.50 of 3.14 or 1000000', ['pay', '1250.50', 'of', '3.14', 'or', '1000000']],
    ['thousands as one number', '$1,000 is 1000', ['1000', 'is', '1000']],
    ['a list of numbers as numbers', 'f(1,2,34) and 1,2345', ['f', '1', '2', '34', 'and', '1', '2345']],
    ['a number and its unit apart', '2x + 3y = 40km', ['2', 'x', '3', 'y', '40', 'km']],
    ['LaTeX by its words', '\\frac{a_1}{\\sqrt{b}}^2', ['frac', 'a', '1', 'sqrt', 'b', '2']],
    ['compatibility forms folded', 'ﬁnd １２ 𝑥² ｘ', ['find', '12', 'x', '2', 'x']],
    ['accents and other alphabets', 'Größe ÉCOLE Задача πr', ['größe', 'école', 'задача', 'πr']],
    ['vowel signs with their letters', 'हिन्दी भाषा', ['हिन्दी', 'भाषा']],
    ['Chinese in pairs', '三角形的面积', ['三角', '角形', '形的', '的面', '面积']],
    ['Japanese in pairs, the long vowel included', 'データを', ['デー', 'ータ', 'タを']],
    ['Korean in pairs', '함수의 값', ['함수', '수의', '값']],
    ['Thai in pairs', 'เลข', ['เล', 'ลข']],
    ['a lone character as itself', '求 x 的 2', ['求', 'x', '的', '2']],
    ['scripts that touch each other apart', '面积为25cm的圆', ['面积', '积为', '25', 'cm', '的圆']],
    ['words that are names of every object', 'constructor __proto__', ['constructor', 'proto']],
    ['nothing where there is nothing', ' \n…!? ', []],
  ])('are %s', (_name, text, expected) => {
    expect(tokenize(text)).toEqual(expected.map((term) => term.normalize('NFKC')));
  });
});
