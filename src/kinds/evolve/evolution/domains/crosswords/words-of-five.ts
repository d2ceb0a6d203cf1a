/** Common English words with clues, one word per line; see generate.ts. */
export const WORDS_OF_FIVE = `
ABOVE higher than
ACTOR man on a stage
ADULT grown person
AGENT spy
ALARM it wakes you up
ALERT wide awake
ALONE without company
AMBER yellow stone from a tree
ANGEL being with wings and a halo
ANGER strong bad feeling
ANGLE corner in geometry
APPLE fruit that keeps the doctor away
APRIL month after March
APRON it is worn in the kitchen
ARENA place for games
ARROW it is shot from a bow
BACON it goes with eggs
BAKER maker of bread
BEACH sand by the sea
BERRY small round fruit
BLACK colour of coal
BLOOD red liquid of the body
BOARD flat piece of wood
BRAIN it thinks
BREAD it is sold by the loaf
BRICK building block
BRIDE woman in white
BROOM it sweeps the floor
BROWN colour of chocolate
BRUSH painter's tool
CABLE thick wire
CAMEL animal with a hump
CANAL waterway made by people
CANDY sweets
CARGO load of a ship
CHAIN row of metal links
CHAIR seat with a back
CHALK it writes on a blackboard
CHEAP at a low price
CHESS game with kings and queens
CHEST part of the body with the heart
CHILD boy or girl
CLEAN without dirt
CLOCK it has two hands
CLOUD it floats in the sky
CLOWN funny man in a circus
COACH trainer of a team
COAST land by the sea
CORAL reef material
CRANE machine that lifts heavy things
CREAM top of the milk
CROWN king's headwear
DAIRY it sells milk and butter
DAISY white flower with a yellow eye
DANCE move to music
DELAY cause to be late
DREAM story of the night
DRESS it is worn by a woman
DRINK take water
EAGLE bird of prey
EARLY before the agreed time
EARTH third planet
EIGHT spider's number of legs
ELBOW joint of the arm
EMPTY with nothing inside
ENEMY opposite of friend
ENTER go in
EQUAL of the same size
ERASE rub out
EVENT something that happens
EXTRA more than is needed
FIELD farmer's ground
FLAME part of a fire
FLOOR you walk on it
FLOUR white powder for bread
FLUTE instrument of wood or silver
FOCUS make an image sharp
FRAME it goes round a picture
FRESH just picked
FRUIT apple or pear
GHOST spirit that haunts
GIANT very large man
GLASS windows are made of it
GLOBE round map of the world
GLOVE it is worn on a hand
GRAIN wheat or rice
GRAPE wine is made of it
GRASS green of a lawn
GREEN colour of grass
HABIT what one does again and again
HEART it beats
HEAVY hard to lift
HONEY it comes from a hive
HORSE animal with a mane
HOTEL house for travellers
HOUSE building for a family
HUMAN like you and me
IDEAL perfect
IGLOO house of snow
IMAGE picture
INNER opposite of outer
IRISH from Dublin
ISLET small land in the sea
IVORY elephant's tusk material
JELLY dessert that wobbles
JUDGE head of a court
JUICE liquid of an orange
KNIFE it cuts
LABEL piece of paper on a jar
LARGE big
LASER narrow beam of light
LATER after some time
LEARN what pupils do
LEMON sour yellow fruit
LEVEL without a slope
LIGHT what a lamp gives
LINEN cloth of flax
LLAMA woolly animal of Peru
LOCAL of the neighbourhood
LUNCH meal at noon
MAGIC art of making rabbits vanish
MAPLE tree on Canada's flag
MARCH month of early spring
MEDAL winner's prize
METAL iron or copper
MONEY coins and notes
MONTH part of a year
MOTOR engine
MOUSE animal that fears the cat
MOUTH it has lips and teeth
MUSIC what an orchestra makes
NIGHT dark time
NOISE unwanted sound
NORTH where a compass points
NOVEL long story in a book
NURSE hospital worker
OASIS green place in the desert
OCEAN Atlantic or Pacific
OLIVE small fruit pressed for oil
ONION it makes a cook cry
OPERA play in which all is sung
ORBIT path around a planet
ORDER what a waiter takes
ORGAN church instrument
OTHER not this one
OTTER river animal that eats fish
OUTER opposite of inner
PAINT what goes on a wall
PANDA black and white eater of bamboo
PAPER writer's material
PARTY it is held on a birthday
PASTA Italian food
PEACE opposite of war
PEARL gem from the sea
PIANO it has black and white keys
PILOT one who flies a plane
PIZZA round food from Naples
PLANE it flies
PLANT it grows in a pot
PLATE food lies on it
PRIZE what a winner gets
QUEEN ruler with a crown
QUIET without noise
RADIO you listen to it
RANCH cattle farm
RAVEN large black bird
REACH get to
REIGN rule as a king
RHYME cat and hat, for example
RIVER it flows to the sea
ROBOT machine that works like a man
ROUND like a ball
ROYAL of a king
SALAD dish of green leaves
SAUCE it is poured over pasta
SCALE it tells your weight
SCENE part of an act
SENSE sight or smell
SEVEN days of a week
SHARK feared fish
SHEEP it gives wool
SHELF place for books
SHIRT it is worn under a jacket
SKATE glide over ice
SLEEP what we do at night
SMILE happy look
SNAIL slow animal with a house
SNAKE animal without legs
SOLAR of the sun
SOUTH opposite of north
SPACE where rockets fly
SPOON soup is eaten with it
STAGE actor's place
STEAM it comes out of a kettle
STONE small rock
STORE shop
STORM very bad weather
STORY tale
SUGAR it makes tea sweet
SWEET like honey
TABLE meals are served on it
TASTE what the tongue does
TEACH work in a school
TEETH a dentist looks at them
THREE sides of a triangle
TIGER large cat with stripes
TITLE name of a book
TOAST browned bread
TODAY between yesterday and tomorrow
TOOTH a dentist pulls it
TOWEL it dries you after a bath
TOWER tall building
TRAIN it runs on rails
TREAT something nice
TRUCK it carries heavy goods
TULIP flower of Holland
UNCLE brother of a parent
UNDER below
UNION joining together
UPSET turn over
URBAN of the city
VOICE a singer needs it
WAGON horses pull it
WATCH small clock on the arm
WATER it comes out of a tap
WHALE largest animal of the sea
WHEAT grain for white bread
WHEEL a car has four of them
WHITE colour of snow
WOMAN grown girl
WORLD all countries together
YEAST it makes dough rise
YOUNG not old
ZEBRA animal with stripes
`;
